import { describe, expect, test } from '@jest/globals';

import { promisesOf, withoutIds } from './promise.ts';

const door = `/**
 * A package.
 *
 * - Nothing is lost.
 * - Nothing is sent
 *   twice, ever.
 *
 * @module
 */
export { a } from './a.ts';
/** - Not a promise. */
`;

describe('promisesOf', () => {
  test('returns the bullets of the first comment, each as one line', () => {
    expect(promisesOf({ text: door })).toEqual([
      'Nothing is lost.',
      'Nothing is sent twice, ever.',
    ]);
  });

  test('returns no promises if the first comment has no bullets', () => {
    expect(promisesOf({ text: `export {};\n${door}` })).toEqual([]);
    expect(promisesOf({ text: '/** A package. */' })).toEqual([]);
  });
});

describe('withoutIds', () => {
  test('removes ids only at the start', () => {
    expect(withoutIds('SI51 RC05 Nothing is lost.')).toBe('Nothing is lost.');
    expect(withoutIds('Nothing of SI51 is lost.')).toBe('Nothing of SI51 is lost.');
  });
});
