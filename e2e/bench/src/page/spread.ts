/** The median, the minimum and the maximum of several runs. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((a, b) => a - b);
  const min = sorted[0];
  const median = sorted[(sorted.length - 1) >> 1];
  const max = sorted.at(-1);
  if (min === undefined || median === undefined || max === undefined) return null;
  return { median: rounded(median), min: rounded(min), max: rounded(max) };
}

/** Rounds to four digits, because a measurement is not more precise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function ratio(ours: Spread | null, theirs: Spread | null): number | null {
  if (ours === null || theirs === null || theirs.median === 0) return null;
  return Number((ours.median / theirs.median).toPrecision(3));
}
