/** The search for the largest number that fits. */
export interface FitSearch {
  /** The smallest number that is tried. */
  readonly from: number;
  /** The largest number that is tried. */
  readonly to: number;
  /** The search ends when the next number that does not fit is at most this many times the result. */
  readonly precision: number;
}

/** Returns the largest number that fits, by bisection in equal ratios; 0 if none does. A larger number needs more. */
export async function largestFit(
  { from, to, precision }: FitSearch,
  fits: (number: number) => Promise<boolean>,
): Promise<number> {
  if (!(await fits(from))) return 0;
  if (await fits(to)) return to;
  let [good, bad] = [from, to];
  while (bad > good * precision) {
    const middle = Math.round(Math.sqrt(good * bad));
    if (middle <= good || middle >= bad) break;
    if (await fits(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
