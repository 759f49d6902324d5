/** The least and the largest value of a cost or a size. `endless` is the upper bound. */
export interface CostRange {
  readonly least: number;
  readonly most: number;
}

/** The largest cost: kube-apiserver counts in 64 bits and saturates. */
export const endless: number = 2 ** 64;

export const nothing: CostRange = { least: 0, most: 0 };
export const unknown: CostRange = { least: 0, most: endless };

export function exactly(amount: number): CostRange {
  return { least: amount, most: amount };
}

export function sum(...ranges: readonly CostRange[]): CostRange {
  return ranges.reduce(
    (one, other) => bounded(one.least + other.least, one.most + other.most),
    nothing,
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
export function either(one: CostRange, other: CostRange): CostRange {
  return bounded(Math.min(one.least, other.least), Math.max(one.most, other.most));
}

function bounded(least: number, most: number): CostRange {
  return { least: Math.min(least, endless), most: Math.min(most, endless) };
}
