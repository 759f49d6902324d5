/** The signals of Ctrl-C, of a supervisor, and of a terminal that is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals within this time are one. At Ctrl-C the terminal sends SIGINT to npm and to the command, and npm sends it
 * to the command again.
 */
const REPEATED_MS = 500;

/** The part of a process that has signals. */
export interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/** Calls `quit` at each signal that ends a command. Returns a function that removes the listeners. */
export function onQuitSignals(source: SignalSource, quit: () => void): () => void {
  let quitAt = Number.NEGATIVE_INFINITY;
  const listener = (): void => {
    if (performance.now() - quitAt < REPEATED_MS) return;
    quitAt = performance.now();
    quit();
  };
  for (const signal of SIGNALS) source.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) source.off(signal, listener);
  };
}
