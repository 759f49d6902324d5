import { listenToProcess } from '@keelson/apimachinery';

/** Receives an error that no code caught: a thrown one, or the reason of a rejection without handler. */
export type UncaughtErrorListener = (error: unknown) => void;

/**
 * Calls the listener for each uncaught error, in the async context of the code that threw. The process still ends
 * afterwards, unless the user listens to `uncaughtException`. Returns a function that removes the listener.
 */
export function onUncaughtError(listener: UncaughtErrorListener): () => void {
  return listenToProcess('uncaughtExceptionMonitor', listener);
}
