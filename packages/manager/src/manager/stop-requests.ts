import type { Logger } from '../logging/logger.ts';
import { onStopSignals, type StopSignal } from './process-signals.ts';

export interface StopRequestsOptions {
  /** Signals of the process. */
  readonly stopSignals: readonly StopSignal[];
  readonly signal: AbortSignal | undefined;
  readonly log: Logger;
  /** A signal requests the stop. */
  readonly stop: () => void;
}

/**
 * Listens for stop signals and an aborted `signal`, and keeps the process alive meanwhile: a signal listener
 * alone does not. Returns a function that removes the listeners.
 */
export function listenForStop({ stopSignals, signal, log, stop }: StopRequestsOptions): () => void {
  const ignoreSignals = onStopSignals(stopSignals, (name) => {
    log.info({ signal: name }, 'stopping');
    stop();
  });
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  return () => {
    clearInterval(keepAlive);
    ignoreSignals();
    signal?.removeEventListener('abort', stop);
  };
}
