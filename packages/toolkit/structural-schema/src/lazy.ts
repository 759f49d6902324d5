/**
 * Returns a function that computes its value on the first call and caches it. It delays the cost of large data files.
 */
export function lazy<T>(compute: () => T): () => T {
  let held: { value: T } | undefined;
  return () => {
    held ??= { value: compute() };
    return held.value;
  };
}
