import { WorkQueueError } from '../errors.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';

/** Facts about the key of an add after `shutDown`. */
export interface LateAdd {
  readonly isHeld: boolean;
  /** True during a drain if the add would wait for the end of a backoff. */
  readonly isHeldBack: boolean;
}

/** Decides which adds a queue accepts while it shuts down, and when the shutdown has ended. */
export class ShutDown {
  readonly #queue: string;
  /** `draining` accepts only re-adds of held keys without a delay. `closed` accepts no adds. */
  state: 'open' | 'draining' | 'closed' = 'open';
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(queue: string) {
    this.#queue = queue;
  }

  /** Begins the shutdown, or ends a drain at once. Returns true if it is a drain; a closed queue stays closed. */
  begin(drain: boolean): boolean {
    this.state = drain && this.state !== 'closed' ? 'draining' : 'closed';
    return this.state === 'draining';
  }

  /** Resolves when the shutdown has ended. */
  end(): Promise<void> {
    this.#ended ??= Promise.withResolvers<void>();
    return this.#ended.promise;
  }

  /**
   * Returns true if the queue accepts the add, false if it drops the add; throws
   * `QUEUE_SHUT_DOWN` if it rejects the add.
   */
  accepts({ isHeld, isHeldBack }: LateAdd, options: AddOptions): boolean {
    const { rateLimited = false, after = 0 } = options;
    if (isHeld && (rateLimited || (isHeldBack && after <= 0))) return false;
    if (isHeld && this.state === 'draining' && after <= 0) return true;
    throw new WorkQueueError('QUEUE_SHUT_DOWN', { queue: this.#queue });
  }

  /** Ends the shutdown, unless it is a drain and items remain. */
  settle(remaining: number): void {
    if (this.state === 'open' || (this.state === 'draining' && remaining > 0)) return;
    this.state = 'closed';
    this.#ended?.resolve();
  }
}
