import { abortable, withLinkedSignal } from '@keelson/apimachinery';

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
  readonly #bounds: RequestBounds;
  /** Each gives its place to a waiting request, first come first served. */
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(bounds: RequestBounds) {
    this.#bounds = bounds;
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
    const { timeout } = this.#bounds;
    const timer = setTimeout(() => late.abort(timeoutError(timeout)), timeout);
    try {
      return await withLinkedSignal([...signals, late.signal], async (signal) => {
        await this.#takePlace(signal);
        return await abortable(this.#inPlace(request, signal), [signal]);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #inPlace<T>(request: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await request(signal);
    } finally {
      this.#leavePlace();
    }
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#bounds.running) {
      this.#running += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await abortable(promise, [signal]);
    } catch (error) {
      // It may have received its place just before the signal aborted.
      if (!this.#waiting.delete(resolve)) this.#leavePlace();
      throw error;
    }
  }

  #leavePlace(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function timeoutError(milliseconds: number): DOMException {
  const message = `no response of the API server within ${milliseconds / 1000} s, with the wait for other requests`;
  return new DOMException(message, 'TimeoutError');
}
