import * as fc from 'fast-check';

/** Members of a random object: for each the per cent of objects that have it, and its values. */
export type RandomMembers = Readonly<
  Record<string, readonly [percent: number, value: fc.Arbitrary<unknown>]>
>;

/** Objects whose members are present as often as their per cent says. */
export function members(random: RandomMembers): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(random).map(([name, [percent, value]]) =>
    perhaps(percent, value).map((found) => [name, found] as const),
  );
  return fc
    .tuple(...entries)
    .map((all) => Object.fromEntries(all.filter(([, value]) => value !== absent)));
}

const absent = Symbol('absent');

function perhaps(percent: number, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (percent >= 100) return value;
  return fc.oneof(
    { arbitrary: value, weight: Math.round(10 * percent) },
    { arbitrary: fc.constant(absent), weight: 1000 - Math.round(10 * percent) },
  );
}

/** Mostly one of the usual values, in `percent` of the cases an odd one. */
export function mostly<T>(
  usual: fc.Arbitrary<T>,
  percent: number,
  odd: fc.Arbitrary<T>,
): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight: 100 - percent }, { arbitrary: odd, weight: percent });
}
