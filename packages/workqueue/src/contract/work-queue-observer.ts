/**
 * Receives the measurements of a queue. Every method is optional; a queue without a name tells
 * nothing. Called synchronously: a method must be quick and must not throw.
 */
export interface WorkQueueObserver {
  /** An entry became ready: at the add, or when its delay ended. A collapsed add is not reported. */
  added?(priority: number): void;
  /** The number of ready items at this priority rose or fell by `change`. */
  depthChanged?(priority: number, change: number): void;
  /** An item was handed out after it had been ready for `queuedMs`. */
  taken?(priority: number, queuedMs: number): void;
  /** An item that was held for `heldMs` is done. */
  finished?(heldMs: number): void;
  /** A new entry waits for a real delay (`after` or a backoff). */
  retried?(): void;
  /** A re-add of a held item was dropped, because the queue is shut down and would not wait for it. */
  dropped?(): void;
  /** Entries that nothing asks for any more were dropped by `withdraw`. */
  purged?(count: number): void;
}

/** The names of what an observer may have. */
export const observerMethods: readonly (keyof WorkQueueObserver)[] = [
  'added',
  'depthChanged',
  'taken',
  'finished',
  'retried',
  'dropped',
  'purged',
];
