import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  ClientObserver,
  ObservedRequest,
  RequestOutcome,
  RequestTracing,
} from '@keelson/client';
import type { BlockedSpan } from '../event-loop/blocked-span.ts';
import type { TracedSpan, Tracing } from '../tracing/tracing.ts';

/** A run of user code that a manager waits for when it stops: a reconcile or a runnable. A traced review is one too. */
export interface UserRun {
  readonly hasEnded: boolean;
  /** Receives an error that code of the run threw, during the run or after its end, and that no code caught. */
  uncaught?(error: unknown): void;
  /** The id of a reconcile; `undefined` for another run. */
  readonly reconcileId?: string;
  /** The span of the run; `undefined` without tracing. */
  readonly span?: TracedSpan | undefined;
  /** Receives an attempt of a request to the API server that code of the run sent. Must not throw. */
  called?(request: ObservedRequest, outcome: RequestOutcome): void;
  /** Receives a part of the run that blocked the event loop, if awaits are traced. Must not throw. */
  blocked?(span: BlockedSpan): void;
  /** Marks the run as waiting in a barrier. Returns a function that ends the mark. */
  enterBarrier?(): () => void;
}

/** Finds the run that the current code belongs to, so that no run waits for its own end. */
export class CallScope {
  readonly #storage = new AsyncLocalStorage<UserRun>();

  /**
   * The run that the caller is part of, or `undefined`. A timer or server that a run left behind keeps the async
   * context of the run, but is not part of it after its end.
   */
  get current(): UserRun | undefined {
    const work = this.#storage.getStore();
    return work?.hasEnded === true ? undefined : work;
  }

  /** The run in whose async context the caller is, even if that run has ended. */
  get origin(): UserRun | undefined {
    return this.#storage.getStore();
  }

  /**
   * Waits in a barrier for the end of other runs. Meanwhile no other barrier waits for the caller's run, because
   * two runs that wait for each other would never end.
   */
  async inBarrier<Result>(wait: () => Promise<Result>): Promise<Result> {
    const leave = this.current?.enterBarrier?.();
    try {
      return await wait();
    } finally {
      leave?.();
    }
  }

  /** The `user-agent` of a request: with the id of the reconcile that sends it. */
  readonly userAgent = (): string => {
    const id = this.current?.reconcileId;
    return id === undefined ? 'keelson' : `keelson reconcile/${id}`;
  };

  /** An observer of a client that also passes each request to the run that sent it. */
  observed(observer: ClientObserver): ClientObserver {
    return {
      ...observer,
      requestEnded: (request, outcome) => {
        observer.requestEnded?.(request, outcome);
        this.current?.called?.(request, outcome);
      },
    };
  }

  /** The tracing of a client, which also receives the run that sends a request. */
  traced({ requests }: Tracing): RequestTracing {
    return { begin: (request) => requests.begin(request, this.current?.span) };
  }

  /** Calls `act` as part of the run, and in its span. */
  readonly run = <Arguments extends unknown[], Result>(
    work: UserRun,
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result => {
    const { span } = work;
    if (span === undefined) return this.#storage.run(work, act, ...given);
    return span.run(() => this.#storage.run(work, act, ...given));
  };
}
