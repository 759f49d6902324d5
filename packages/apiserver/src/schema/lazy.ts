/** A value that is computed at its first reading and kept: what makes a large data file cost nothing until asked. */
export function lazy<T>(compute: () => T): () => T {
  let held: { value: T } | undefined;
  return () => {
    held ??= { value: compute() };
    return held.value;
  };
}
