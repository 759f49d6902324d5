/**
 * Resolves when the condition holds. `subscribe` registers a callback for possible changes of it and returns an
 * unsubscribe function. Rejects when `closed` rejects.
 */
export async function waitUntil(
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
