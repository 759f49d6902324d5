import { invalidOption } from '@keelson/apimachinery';
import type { QueuedCause } from '../reconcile/cause.ts';

/** The methods of a queue that the first pass calls. */
interface PassedQueue<Q extends object, Add> {
  add(
    request: Q,
    options: Add,
    receivedAt: number | undefined,
    key: string | undefined,
  ): string | undefined;
  forget(request: Q): void;
  /** True if the request of this key is queued or runs, or is due and paused. */
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
 * Counts the initial requests of a controller that have not run once: those of the objects that existed at the start of
 * its workers. A run ends the count of its request whether it succeeds or fails. So does leaving the queue in any way:
 * `left` looks up each request in the queue.
 */
export class FirstPass<
  Q extends object,
  Add extends { readonly cause: QueuedCause },
> implements CountedPass {
  readonly #queue: PassedQueue<Q, Add>;
  readonly #left = new Set<string>();
  /** False in a standby, which is ready without a pass. Otherwise a rolling update would never end. */
  #isExpected = false;
  /** False once the workers have started. */
  #isFilling = true;

  constructor(queue: PassedQueue<Q, Add>) {
    this.#queue = queue;
  }

  /** Queues a request of a source. */
  add(
    request: Q,
    options: Add,
    receivedAt: number | undefined,
    known?: string,
  ): string | undefined {
    const key = this.#queue.add(request, options, receivedAt, known);
    const isInitial = this.#isFilling && options.cause.reason === 'initial';
    if (isInitial && key !== undefined) this.#left.add(key);
    return key;
  }

  forget(request: Q): void {
    this.#queue.forget(request);
  }

  /** Makes readiness wait for the pass, because the phase of the controller runs in this process. */
  expect(): void {
    this.#isExpected = true;
  }

  /** Ends the collection of initial requests, because the workers have started. */
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
