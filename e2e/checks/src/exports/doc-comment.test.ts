import { describe, expect, test } from '@jest/globals';
import { findUndocumented } from './doc-comment.ts';

const entry = {
  path: 'packages/a/src/index.ts',
  text: `export { createQueue, type Options as QueueOptions } from './queue.ts';
export { other } from '@keelson/other';`,
};

function problemsOf(queue: string): string[] {
  return findUndocumented(entry, new Map([['packages/a/src/queue.ts', queue]]));
}

const documented = `/**
 * Creates a queue.
 */
export function createQueue(): void {}
`;

describe('findUndocumented', () => {
  test('accepts a comment above each declaration, and ignores names of other packages', () => {
    expect(
      problemsOf(
        `${documented}\n/** Limits the queue: size and delay. */\nexport interface Options {}`,
      ),
    ).toEqual([]);
  });

  test.each([
    ['no comment', 'export interface Options {}'],
    ['a line comment', '// Limits the queue.\nexport interface Options {}'],
    [
      'a comment of another statement',
      '/** Limits. */\nconst limit = 1;\nexport interface Options {}',
    ],
    ['no declaration', ''],
  ])('finds a name with %s', (_title, declaration) => {
    expect(problemsOf(`${documented}\n${declaration}`)).toEqual([
      'packages/a/src/queue.ts: Options has no doc comment',
    ]);
  });

  test('finds a comment that only repeats the name', () => {
    expect(
      problemsOf(
        `${documented}\n/** Options of a queue. All are optional. */\nexport interface Options {}`,
      ),
    ).toEqual(['packages/a/src/queue.ts: the comment of Options only repeats the name']);
  });
});
