/**
 * Resolves once a condition holds; `subscribe` calls back whenever it may have begun to, and
 * returns how to stop. Rejects when `closed` does.
 */
export async function until(
  condition: () => boolean,
  subscribe: (check: () => void) => () => void,
  closed: Promise<never>,
): Promise<void> {
  if (condition()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = subscribe(() => {
    if (condition()) resolve();
  });
  try {
    await Promise.race([promise, closed]);
  } finally {
    stop();
  }
}
