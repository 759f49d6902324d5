/** The signals of the process that a manager understands as: stop. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

/**
 * Calls `stop` at the first of the signals. The second ends the process at once with exit code 1:
 * whoever sends it no longer wants to wait. Returns the way to stop listening.
 */
export function onStopSignals(
  signals: readonly StopSignal[],
  stop: (signal: StopSignal) => void,
): () => void {
  let heard = false;
  const listener = (signal: StopSignal): void => {
    // oxlint-disable-next-line unicorn/no-process-exit, node/no-process-exit
    if (heard) process.exit(1);
    heard = true;
    stop(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
