import { describe, expect, test } from '@jest/globals';
import { guideSteps } from './guide-step.ts';

const block = (language: string, ...lines: readonly string[]): string[] => [
  '',
  `\`\`\`${language}`,
  ...lines,
  '```',
];

describe('guideSteps', () => {
  test('a block below a file name is that file, a block of sh is run, in order', () => {
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

  test('the file may be named before the end of the sentence', () => {
    const page = ['`tsconfig.json`, for the editor:', ...block('json', '{}')].join('\n');
    expect(guideSteps(page)).toEqual([{ type: 'write', file: 'tsconfig.json', text: '{}\n' }]);
  });

  test('a block without a file name, and one that is not to be followed, is left out', () => {
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
