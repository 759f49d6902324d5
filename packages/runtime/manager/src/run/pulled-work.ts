import { checkOptions, checkSignal } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import type { Request } from '../reconcile/request.ts';
import { released } from './run-outcome.ts';

/** A request that a loop over `controller.work()` processes. No other loop receives it meanwhile. */
export interface PulledWork<Q extends object = Request> {
  readonly request: Q;
  /** The second parameter of a reconcile: cache, client, log, signal, attempt and more. */
  readonly context: ReconcileContext;
  /**
   * Ends the work as a reconcile that returns `outcome`. The next turn of the loop does the same without an outcome.
   * Throws `WORK_ENDED` after `done` or `fail`.
   */
  done(outcome?: Outcome): void;
  /** Ends the work as a reconcile that throws `error`: it is retried with backoff. Throws `WORK_ENDED`. */
  fail(error: unknown): void;
}

/** Ends a loop over `controller.work()`. */
export interface WorkOptions {
  /** Ends the loop at its next turn when it aborts. Default: none. */
  readonly signal?: AbortSignal;
}

type Ending = Outcome | void | typeof released;

/** A request that a loop processes. Its run ends when the loop has settled it. */
class Handoff<Q extends object> implements PulledWork<Q> {
  readonly request: Q;
  readonly context: ReconcileContext;
  readonly #settled = Promise.withResolvers<Ending>();
  #hasEnded = false;

  constructor(request: Q, context: ReconcileContext) {
    this.request = request;
    this.context = context;
  }

  get settled(): Promise<Ending> {
    return this.#settled.promise;
  }

  done(outcome?: Outcome): void {
    this.#end();
    this.#settled.resolve(outcome);
  }

  fail(error: unknown): void {
    this.#end();
    this.#settled.reject(error);
  }

  /** Ends the work with this result, unless it has ended. */
  close(result: undefined | typeof released): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#settled.resolve(result);
  }

  #end(): void {
    if (this.#hasEnded) throw new ManagerError('WORK_ENDED', { attempt: this.context.attempt });
    this.#hasEnded = true;
  }
}

/** The loops over the work of one controller. Each takes one request at a time. */
export class PulledLoops<Q extends object> {
  /** The loops that wait for a request, in their order. */
  readonly #waiting = new Set<(work: Handoff<Q> | undefined) => void>();
  /** Requests that the queue handed to a loop which had ended by then. */
  readonly #arrived: Handoff<Q>[] = [];
  readonly #onWaiting: () => void;
  #open = 0;
  #isClosed = false;

  /** `onWaiting` is called when a loop begins to wait. */
  constructor(onWaiting: () => void) {
    this.#onWaiting = onWaiting;
  }

  /** The number of loops that take or process requests. */
  get open(): number {
    return this.#open;
  }

  /** The number of loops that wait for a request. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The reconcile of a pulled controller: gives the request to a loop, and waits until the loop has settled it. */
  readonly reconcile = (request: Q, context: ReconcileContext): Promise<Ending> => {
    const work = new Handoff(request, context);
    const [first] = this.#waiting;
    if (first === undefined) this.#arrived.push(work);
    else first(work);
    return work.settled;
  };

  /** Yields requests until the controller stops or `signal` aborts. Leaving the loop queues its request again. */
  loop(options: WorkOptions = {}): AsyncGenerator<PulledWork<Q>, void, undefined> {
    checkOptions(options, ['signal'], 'work');
    checkSignal(options.signal, 'work.signal');
    const left = new AbortController();
    const signals = options.signal === undefined ? [left.signal] : [options.signal, left.signal];
    return leavable(this.#loop(signals), left);
  }

  /** Ends all loops: waiting ones at once, others at their next turn. */
  close(): void {
    this.#isClosed = true;
    for (const receive of this.#waiting) receive(undefined);
    for (const work of this.#arrived.splice(0)) work.close(released);
  }

  async *#loop(signals: readonly AbortSignal[]): AsyncGenerator<PulledWork<Q>, void, undefined> {
    this.#open += 1;
    let work: Handoff<Q> | undefined;
    try {
      for (work = await this.#next(signals); work !== undefined; work = await this.#next(signals)) {
        yield work;
        work.close(undefined);
      }
    } finally {
      this.#open -= 1;
      work?.close(released);
    }
  }

  #next(signals: readonly AbortSignal[]): Promise<Handoff<Q> | undefined> {
    if (this.#isClosed || signals.some(({ aborted }) => aborted)) return Promise.resolve(undefined);
    const arrived = this.#arrived.shift();
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve) => {
      const end = (): void => receive(undefined);
      const receive = (work: Handoff<Q> | undefined): void => {
        this.#waiting.delete(receive);
        for (const signal of signals) signal.removeEventListener('abort', end);
        resolve(work);
      };
      this.#waiting.add(receive);
      for (const signal of signals) signal.addEventListener('abort', end);
      this.#onWaiting();
    });
  }
}

/**
 * Returns a generator whose `return` and `throw` end its wait. Those of an async generator wait for the next value
 * first.
 */
function leavable<Value>(
  loop: AsyncGenerator<Value, void, undefined>,
  left: AbortController,
): AsyncGenerator<Value, void, undefined> {
  return {
    next: () => loop.next(),
    return(value) {
      left.abort();
      return loop.return(value);
    },
    throw(error) {
      left.abort();
      return loop.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}
