import type { Logger } from './logger.ts';
import { onStopSignals, type StopSignal } from './process-signals.ts';

export interface StopRequestsOptions {
  /** Signals of the process. */
  readonly stopSignals: readonly StopSignal[];
  readonly signal: AbortSignal | undefined;
  readonly log: Logger;
  /** Somebody asks to stop. */
  readonly stop: () => void;
}

/**
 * Listens to those outside who may ask a manager to stop, and keeps the process meanwhile: waiting
 * for a signal alone would not. Returns the way to stop listening.
 */
export function listenForStop({ stopSignals, signal, log, stop }: StopRequestsOptions): () => void {
  const ignoreSignals = onStopSignals(stopSignals, (name) => {
    log.info({ signal: name }, 'stopping');
    stop();
  });
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  return () => {
    clearInterval(keepAlive);
    ignoreSignals();
    signal?.removeEventListener('abort', stop);
  };
}
