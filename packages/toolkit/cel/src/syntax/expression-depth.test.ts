import { beforeAll, describe, expect, test } from '@jest/globals';
import { ExpressionResults } from '../testing/expression-results.test-support.ts';

const tooDeep = ['-1:0 max recursion depth exceeded'];
const tooNested = ['-1:0 expression recursion limit exceeded: 250'];

/** Limits recorded from kube-apiserver 1.36.3. */
describe('depth of expressions', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, (count: number) => string, number, readonly string[]]>([
    ['parentheses', (n) => `${'('.repeat(n)}true${')'.repeat(n)}`, 249, tooNested],
    ['conditions', (n) => `${'true ? true : '.repeat(n)}true`, 249, tooNested],
    ['calls', (n) => `${'string('.repeat(n)}1${')'.repeat(n)} == ''`, 249, tooNested],
    ['sums', (n) => `1${'+1'.repeat(n)} > 0`, 249, tooDeep],
    ['comparisons', (n) => `true${' == true'.repeat(n)}`, 250, tooDeep],
    ['methods', (n) => `self.text${'.trim()'.repeat(n)} == ""`, 248, tooDeep],
  ])('%s: accepts the limit and refuses one more', (_, rule, most, refused) => {
    expect(results.problems(rule(most))).toEqual([]);
    expect(results.problems(rule(most + 1))).toEqual(refused);
  });

  test.each([
    ['fields', `self${'.a'.repeat(40_000)}`, tooDeep],
    ['indices', `self${'[0]'.repeat(30_000)}`, tooDeep],
    ['sums', `1${'+1'.repeat(45_000)} > 0`, tooDeep],
    [
      'sums in parentheses',
      `${'('.repeat(200)}1${`${'+1'.repeat(200)})`.repeat(200)} > 0`,
      tooDeep,
    ],
    ['lists', '['.repeat(90_000), tooNested],
    ['macros', '[1].map(a, '.repeat(9000), tooNested],
  ])('refuses a chain of very many %s', (_, rule, refused) => {
    expect(results.problems(rule)).toEqual(refused);
  });

  test('accepts long chains of && and ||', () => {
    expect(results.problems(`true${' && true'.repeat(10_000)}`)).toEqual([]);
    expect(results.of(`true${' && true'.repeat(1000)} && false`, {})).toBe(false);
    expect(results.of(`false${' || false'.repeat(1000)} || true`, {})).toBe(true);
  });

  test('stops macros that duplicate their target', () => {
    const chain = (count: number): string =>
      `optional.of(1)${'.optMap(x, x)'.repeat(count)}.hasValue()`;
    expect(results.problems(chain(12))).toEqual([]);
    expect(results.problems(chain(40))).toEqual([
      '-1:0 expression has more than 200000 parts when its macros are expanded',
    ]);
  });

  test('refuses a rule of more than 100 000 characters', () => {
    expect(results.problems(`true${' '.repeat(99_996)}`)).toEqual([]);
    expect(results.problems(`${'('.repeat(100_000)}true${')'.repeat(100_000)}`)).toEqual([
      '-1:0 expression code point size exceeds limit: size: 200004, limit 100000',
    ]);
  });
});
