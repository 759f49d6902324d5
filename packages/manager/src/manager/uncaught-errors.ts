/** An error that no code caught: a thrown one, or the reason of a rejection that has no handler. */
export type UncaughtErrorListener = (error: unknown) => void;

/**
 * Calls the listener for each uncaught error, in the async context of the code that threw. What the
 * process does then stays as it is: it ends, unless the user listens to `uncaughtException`. Returns
 * the way to stop listening.
 */
export function onUncaughtError(listener: UncaughtErrorListener): () => void {
  process.on('uncaughtExceptionMonitor', listener);
  return () => process.off('uncaughtExceptionMonitor', listener);
}
