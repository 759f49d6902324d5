import type { Logger } from '../logging/logger.ts';
import { onStopSignals, type StopSignal } from './process-signals.ts';

export interface StopRequestsOptions {
  /** The process signals that request a stop. */
  readonly stopSignals: readonly StopSignal[];
  readonly signal: AbortSignal | undefined;
  readonly log: Logger;
  /** Called for each request to stop. */
  readonly stop: () => void;
}

/**
 * Calls `stop` for a stop signal of the process and for the abort of `signal`. Keeps the process alive with a timer,
 * because listeners alone do not. Returns a function that removes all of them.
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
