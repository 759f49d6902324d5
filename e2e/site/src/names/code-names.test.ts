import { describe, expect, test } from '@jest/globals';
import { codeNames, namesInCode, printCodeNames } from './code-names.ts';

const page = [
  '# A `WatchHandle`',
  '```ts',
  "import { createManager, type Manager } from '@keelson/manager';",
  'list(createManager({}));',
  '```',
  '```yaml',
  'kind: ClusterRole',
  '```',
].join('\n');

describe('codeNames', () => {
  test('has each name of TypeScript blocks once, without words that may mean something else', () => {
    expect(codeNames(page)).toEqual(['createManager', 'Manager']);
  });
});

describe('namesInCode', () => {
  test('leaves members, keys, texts and comments', () => {
    const code = "f(a.startTimer(), { labelSelector: 'Duration' }, Manager); // Client";
    expect([...namesInCode(code)]).toEqual(['f', 'Manager']);
  });
});

describe('printCodeNames', () => {
  test('links the names that have a page', () => {
    const targets = new Map([['Manager', '/m.md']]);
    expect(printCodeNames(page, targets)).toBe('\n## In the reference\n\n[`Manager`](/m.md)\n');
    expect(printCodeNames('# A', targets)).toBe('');
  });
});
