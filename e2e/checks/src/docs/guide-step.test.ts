import { describe, expect, test } from '@jest/globals';
import { guideSteps } from './guide-step.ts';

const block = (language: string, ...lines: readonly string[]): string[] => [
  '',
  `\`\`\`${language}`,
  ...lines,
  '```',
];

describe('guideSteps', () => {
  test('returns files and commands in order: a block below a file name is the file, a block of sh is a command', () => {
    const page = [
      'Install.',
      ...block('sh', 'npm init -y', 'npm test'),
      'Then write `src/operator.ts`:',
      '',
      '<!-- region: x.ts#one -->',
      ...block('ts', 'const one = 1;').slice(1),
    ].join('\n');
    expect(guideSteps(page)).toEqual([
      { type: 'run', script: 'npm init -y\nnpm test\n' },
      { type: 'write', file: 'src/operator.ts', text: 'const one = 1;\n' },
    ]);
  });

  test('accepts a file name before the end of the sentence', () => {
    const page = ['`tsconfig.json`, for the editor:', ...block('json', '{}')].join('\n');
    expect(guideSteps(page)).toEqual([{ type: 'write', file: 'tsconfig.json', text: '{}\n' }]);
  });

  test('ignores a block without a file name and a block marked as not followed', () => {
    const page = [
      'Call `start()`:',
      ...block('ts', 'start();'),
      'This needs kubectl.',
      '',
      '<!-- not followed: it needs kubectl -->',
      ...block('sh', 'kubectl get pods').slice(1),
    ].join('\n');
    expect(guideSteps(page)).toEqual([]);
  });
});
