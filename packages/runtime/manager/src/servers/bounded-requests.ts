import { abortable, withLinkedSignal } from '@keelson/apimachinery';
import PQueue from 'p-queue';

export interface RequestBounds {
  /** The most requests that run at the same time. */
  readonly running: number;
  /** Milliseconds that a request may take, with its wait for a place. */
  readonly timeout: number;
}

/**
 * Runs the requests to the API server that the responses of a server of this process need. A hanging API server must
 * neither delay these responses without end nor let them take the connections of the operator.
 */
export class BoundedRequests {
  readonly #pool: PQueue;
  readonly #timeout: number;

  constructor({ running, timeout }: RequestBounds) {
    this.#pool = new PQueue({ concurrency: running });
    this.#timeout = timeout;
  }

  /**
   * Runs a request when it has a place, and keeps the place until the request has ended. Rejects with its error, with the
   * reason of the first signal that aborts, or with a `TimeoutError`. The signal of the request then aborts.
   */
  async run<T>(
    request: (signal: AbortSignal) => Promise<T>,
    signals: readonly AbortSignal[] = [],
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeoutError(this.#timeout)), this.#timeout);
    try {
      return await withLinkedSignal([...signals, late.signal], (signal) => {
        const ended = this.#pool.add(() => {
          // It was given up while it waited for its place.
          signal.throwIfAborted();
          return request(signal);
        });
        return abortable(ended, [signal]);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function timeoutError(milliseconds: number): DOMException {
  const message = `no response of the API server within ${milliseconds / 1000} s, with the wait for other requests`;
  return new DOMException(message, 'TimeoutError');
}
