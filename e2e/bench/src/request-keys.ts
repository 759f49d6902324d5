/** Keys as a controller's queue holds them. */
export function requestKeys(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `namespace-${String(index % 100)}/name-${String(index)}`,
  );
}
