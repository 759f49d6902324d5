import { describe, expect, test } from '@jest/globals';
import { UseIndex } from './use-index.ts';

const index = new UseIndex([
  {
    path: '/a.md',
    text: '# A\n`createManager` starts.\n## Two\n```ts\nlist(createManager({}));\n```',
  },
  { path: '/b.md', text: '# B\nThe verb `list`.' },
]);

describe('UseIndex', () => {
  test('finds the sections with code first', () => {
    expect(index.usesOf('createManager', 5)).toEqual([
      { title: 'A: Two', target: '/a.md#two' },
      { title: 'A', target: '/a.md' },
    ]);
  });

  test('a word in lower case is a use only where it is called', () => {
    expect(index.usesOf('list', 5)).toEqual([{ title: 'A: Two', target: '/a.md#two' }]);
  });

  test('returns as many as the limit', () => {
    expect(index.usesOf('createManager', 1)).toHaveLength(1);
  });
});
