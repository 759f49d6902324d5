import { abortable } from '@keelson/apimachinery';
import type { CauseSet } from '../reconcile/cause.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { Left } from './next-plan.ts';
import type { WatchRemovals } from './watch-removals.ts';

/** The part of a controller's queue that removes requests and waits for runs. */
export interface WithdrawingQueue {
  /** Drops the requests that only these causes queued, and ignores later ones. */
  withdraw(causes: ReadonlySet<CauseSet>): void;
  /** Resolves when each running reconcile of these causes has ended, was aborted, or waits in a barrier itself. */
  endOfRunsFor(causes: ReadonlySet<CauseSet>): Promise<void>;
}

/** One or more causes of requests that ended: a detached watch, an ended iterable, or the last step of a removal. */
export interface Removed {
  readonly causeSets: readonly CauseSet[];
  /** Frees what the runs that the source caused may have used. The barrier waits for its promise. */
  release(): void | Promise<void>;
}

/** Removes sources from a controller: drops their requests, waits for the runs they caused, and frees them. */
export class RemovalBarrier<Q extends object> {
  readonly #queue: WithdrawingQueue;
  readonly #callScope: CallScope;
  readonly #removals: WatchRemovals<Q>;

  constructor(queue: WithdrawingQueue, callScope: CallScope, removals: WatchRemovals<Q>) {
    this.#queue = queue;
    this.#callScope = callScope;
    this.#removals = removals;
  }

  /**
   * Removes the watches that left with a plan. The last step of a source that no other one continues is
   * `onWatchRemoved`.
   */
  async leave(left: readonly Left<Q>[], signal: AbortSignal | undefined): Promise<void> {
    const removed = left.flatMap<Removed>(({ source, watches, isEnd }) =>
      isEnd ? [...watches, this.#removals.endOf(source)] : watches,
    );
    await this.remove(removed, signal);
  }

  /**
   * Drops the requests that only these sources caused. Then waits for their runs, except the run of the caller and runs
   * that wait in a barrier themselves. Then releases the sources.
   */
  async remove(sources: readonly Removed[], signal: AbortSignal | undefined): Promise<void> {
    if (sources.length === 0) return;
    // Together, because the queue visits every request.
    const causes = new Set(sources.flatMap(({ causeSets }) => causeSets));
    this.#queue.withdraw(causes);
    await this.#callScope.inBarrier(() => abortable(this.#end(sources, causes), [signal]));
  }

  async #end(sources: readonly Removed[], causes: ReadonlySet<CauseSet>): Promise<void> {
    await this.#queue.endOfRunsFor(causes);
    // Released last, because the runs that the watches caused may read their objects.
    await Promise.all(sources.map(async (source) => source.release()));
  }
}
