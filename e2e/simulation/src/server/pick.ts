/** Returns the element that a number chooses. */
export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % (list.length || 1)];
}
