import type { Debounce } from '@keelson/workqueue';
import type { Logger } from '../logging/logger.ts';
import type { QueuedCause } from '../reconcile/cause.ts';

/** The cause, the priority and the delay of a request. */
export interface RequestAdd {
  readonly cause: QueuedCause;
  readonly priority: number;
  readonly debounce: Debounce | undefined;
  /** Milliseconds that the request waits, because its source sends too many events. Default 0. */
  readonly after?: number;
}

/** Adds a delay to a request. The longer one of a debounce and the delay applies. */
export function delayedBy(add: RequestAdd, after: number): RequestAdd {
  const { debounce } = add;
  if (after === 0 || (debounce !== undefined && debounce.wait >= after)) return add;
  // Not both: a debounced add would postpone the request of another source that is due earlier.
  return { ...add, debounce: undefined, after };
}

/** Receives the requests and measurements of a source. */
export interface RequestSink<Q extends object> {
  /**
   * Queues a request. `receivedAt` is the time at which the event arrived at the socket, if a new event caused it. `key`
   * is that of a frozen request of an object in the cache; other requests are checked and copied. Returns the key of the
   * request; `undefined` if its source was removed.
   */
  enqueue(
    request: Q,
    options: RequestAdd,
    receivedAt: number | undefined,
    key?: string,
  ): string | undefined;
  /** The key of a request, before it is queued. Throws as `enqueue` does. */
  keyOf(request: Q): string;
  /** Resets the failures of a request whose object was deleted: they do not count for a new object of its name. */
  forget(request: Q): void;
  /**
   * Reports that a function of a source threw, such as a predicate or a mapper; the source continues. Each error is counted. For errors that repeat
   * endlessly, `count` is their number so far: the 1st, 10th, 100th and so on are logged.
   */
  sourceError(source: string, error: unknown, count?: number): void;
  /** The predicates and the mapper of an event took this many milliseconds. */
  eventHandled(durationMs: number): void;
}

/** The parts of a controller that receive the requests, errors and measurements of its sources. */
export interface RequestReceiver<Q extends object> {
  readonly queue: {
    add(
      request: Q,
      options: RequestAdd,
      receivedAt: number | undefined,
      key?: string,
    ): string | undefined;
    forget(request: Q): void;
  };
  readonly keyOf: (request: Q) => string;
  readonly observer: { sourceError(): void; eventHandled(durationMs: number): void };
  readonly log: Logger;
}

/** Creates the sink of the sources of a controller. */
export function requestSink<Q extends object>({
  queue,
  keyOf,
  observer,
  log,
}: RequestReceiver<Q>): RequestSink<Q> {
  return {
    enqueue: queue.add.bind(queue),
    keyOf,
    forget: queue.forget.bind(queue),
    sourceError(source, error, count) {
      observer.sourceError();
      if (count !== undefined && !isPowerOfTen(count)) return;
      log.error({ source, err: error, ...(count !== undefined && { count }) }, 'source failed');
    },
    eventHandled: observer.eventHandled.bind(observer),
  };
}

function isPowerOfTen(count: number): boolean {
  return Number.isInteger(Math.log10(count));
}
