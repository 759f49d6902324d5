import type { UserCode } from './user-code.ts';

/**
 * Receives the measurements of a queue, synchronously. Every method is optional, must be quick, and cannot call the
 * queue. Its errors go to `onError`. A queue without a name reports nothing.
 */
export interface WorkQueueObserver {
  /** An entry became ready: on its add, or after its delay. A collapsed add is not reported. */
  added?(priority: number): void;
  /** The number of ready items of this priority changed by `change`. */
  depthChanged?(priority: number, change: number): void;
  /** An item was handed out after it had been ready for `queuedMs`. */
  taken?(priority: number, queuedMs: number): void;
  /** An item that was held for `heldMs` is done. */
  finished?(heldMs: number): void;
  /** A new entry waits for a delay above 0 (`after` or a backoff). */
  retried?(): void;
  /**
   * A re-add of a held item was dropped, because the queue is shut down and does not wait for it.
   */
  dropped?(): void;
  /** `withdraw`, `reassign` or `purge` dropped this many entries. */
  purged?(count: number): void;
}

/** The names of all observer methods. */
export const observerMethods: readonly (keyof WorkQueueObserver)[] = [
  'added',
  'depthChanged',
  'taken',
  'finished',
  'retried',
  'dropped',
  'purged',
];

type Method = (...given: number[]) => unknown;

/** Wraps an observer so that its errors affect nothing else. Methods that it lacks cost nothing. */
export function guardedObserver(
  observer: WorkQueueObserver,
  userCode: UserCode,
): WorkQueueObserver {
  const methods = observerMethods.flatMap((name) => {
    const method: Method | undefined = observer[name];
    if (method === undefined) return [];
    return [[name, userCode.guarded(`observer.${name}`, method.bind(observer))]];
  });
  return Object.fromEntries(methods) as WorkQueueObserver;
}
