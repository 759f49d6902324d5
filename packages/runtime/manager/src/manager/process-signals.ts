import { listenToProcess } from '@keelson/apimachinery';

/** The process signals that can stop a manager. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

/**
 * Calls `stop` at the first of the signals. A second one ends the process at once with exit code 1, because its
 * sender no longer waits. Returns a function that removes the listeners.
 */
export function onStopSignals(
  signals: readonly StopSignal[],
  stop: (signal: StopSignal) => void,
): () => void {
  let isRepeated = false;
  const listener = (signal: StopSignal): void => {
    // oxlint-disable-next-line unicorn/no-process-exit, node/no-process-exit
    if (isRepeated) process.exit(1);
    isRepeated = true;
    stop(signal);
  };
  const removes = signals.map((signal) => listenToProcess(signal, listener));
  return () => {
    for (const remove of removes) remove();
  };
}
