/** Returns keys like those in the queue of a controller. */
export function requestKeys(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `namespace-${String(index % 100)}/name-${String(index)}`,
  );
}
