/** The least and the largest value of a cost or a size. `MAX_COST` is the upper bound. */
export interface CostRange {
  readonly least: number;
  readonly most: number;
}

/** The largest cost: kube-apiserver counts in 64 bits and saturates. */
export const MAX_COST: number = 2 ** 64;

export const zeroCost: CostRange = { least: 0, most: 0 };
export const unknownCost: CostRange = { least: 0, most: MAX_COST };

export function exactCost(amount: number): CostRange {
  return { least: amount, most: amount };
}

export function sum(...ranges: readonly CostRange[]): CostRange {
  return ranges.reduce(
    (one, other) => bounded(one.least + other.least, one.most + other.most),
    zeroCost,
  );
}

export function product(one: CostRange, other: CostRange): CostRange {
  return bounded(one.least * other.least, one.most * other.most);
}

/** Multiplies a range by a factor and rounds up. */
export function scaled({ least, most }: CostRange, factor: number): CostRange {
  return bounded(Math.ceil(least * factor), Math.ceil(most * factor));
}

/** Returns the smallest range that contains both ranges. */
export function union(one: CostRange, other: CostRange): CostRange {
  return bounded(Math.min(one.least, other.least), Math.max(one.most, other.most));
}

function bounded(least: number, most: number): CostRange {
  return { least: Math.min(least, MAX_COST), most: Math.min(most, MAX_COST) };
}
