import { describe, expect, test } from '@jest/globals';
import { smallestCase } from './smallest-case.ts';

describe('smallestCase', () => {
  test('removes every part that the failure does not need', async () => {
    const found = { a: [1, { b: 'x', c: 2 }, 3], d: { e: 4 } };
    const smallest = await smallestCase(found, async ({ a }) =>
      a.some((each) => typeof each === 'object' && each.b === 'x'),
    );
    expect(smallest).toEqual({ a: [{ b: 'x' }] });
  });

  test('shortens texts', async () => {
    expect(
      await smallestCase({ text: 'abcdefgh' }, async ({ text }) => text.startsWith('a')),
    ).toEqual({ text: 'a' });
  });

  test('keeps a part whose absence makes the case invalid', async () => {
    const needed = ({ a }: { a?: number; b?: number }): Promise<boolean> =>
      a === undefined ? Promise.reject(new Error('no case')) : Promise.resolve(true);
    expect(await smallestCase({ a: 1, b: 2 }, needed)).toEqual({
      a: 1,
    });
  });
});
