import { invalidOption } from '@keelson/apimachinery';
import type { QueuedCause } from '../reconcile/cause.ts';

/** The queue of a controller, as its first pass fills and reads it. */
interface PassedQueue<Q extends object, Add> {
  add(request: Q, options: Add, receivedAt: number | undefined): string | undefined;
  forget(request: Q): void;
  /** True if the request of this key is queued or runs. */
  holds(key: string): boolean;
}

/** The initial requests of a controller, as its loop counts them. */
export interface CountedPass {
  /** A run of the request of this key has ended. */
  ended(key: string): void;
  /** The number of initial requests that have not run; 0 in a standby. */
  left(): number;
}

/**
 * Counts the initial requests of a controller that have not run once: those of the objects that existed at the start
 * of its workers. A run counts whether it succeeds or fails. Requests that leave the queue without a run do not count:
 * each is looked up in the queue, so that every way of leaving it counts.
 */
export class FirstPass<
  Q extends object,
  Add extends { readonly cause: QueuedCause },
> implements CountedPass {
  readonly #queue: PassedQueue<Q, Add>;
  readonly #left = new Set<string>();
  /** False in a standby, which is ready without a pass: a rolling update would never end otherwise. */
  #isExpected = false;
  /** False once the workers have started. */
  #isFilling = true;

  constructor(queue: PassedQueue<Q, Add>) {
    this.#queue = queue;
  }

  /** Queues a request of a source. */
  add(request: Q, options: Add, receivedAt: number | undefined): string | undefined {
    const key = this.#queue.add(request, options, receivedAt);
    const isInitial = this.#isFilling && options.cause.reason === 'initial';
    if (isInitial && key !== undefined) this.#left.add(key);
    return key;
  }

  forget(request: Q): void {
    this.#queue.forget(request);
  }

  /** The phase of the controller runs in this process, so that its readiness waits for the pass. */
  expect(): void {
    this.#isExpected = true;
  }

  /** The workers have started: requests that are queued from now on do not count. */
  begin(): void {
    this.#isFilling = false;
  }

  ended(key: string): void {
    this.#left.delete(key);
  }

  left(): number {
    if (!this.#isExpected) return 0;
    for (const key of this.#left) if (!this.#queue.holds(key)) this.#left.delete(key);
    return this.#left.size;
  }
}

/** Throws `INVALID_OPTION` for an unknown value of the option `readiness`. */
export function checkReadiness(readiness: unknown, where: string): void {
  if (readiness === undefined || readiness === 'synced' || readiness === 'reconciled') return;
  throw invalidOption(where, 'must be synced or reconciled');
}
