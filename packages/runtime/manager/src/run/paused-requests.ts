import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import type { QueuedRequest } from '../reconcile/queued-request.ts';
import type { IdentifiedRequest } from '../reconcile/request.ts';
import type { HeirSets } from './request-queue.ts';

/** A request that was due while it was paused. */
export interface KeptRequest<Q extends object> {
  readonly item: QueuedRequest<Q>;
  readonly priority: number;
  /** Every cause of the request since the pause began; empty if the queue knew none. */
  readonly causes: readonly QueuedCause[];
}

/**
 * The requests of a controller that do not run until they are resumed. A kept request is not in the queue, so that its
 * causes follow removed and replaced sources here as those of queued requests do there.
 */
export class PausedRequests<Q extends object> {
  /** By key; `undefined` if the request was not due meanwhile. */
  readonly #byKey = new Map<string, KeptRequest<Q> | undefined>();

  get size(): number {
    return this.#byKey.size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** True if the request was due while it was paused. */
  isKept(key: string): boolean {
    return this.#byKey.get(key) !== undefined;
  }

  pause(key: string): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, undefined);
  }

  /** Keeps a request that is due, if it is paused. Returns false for one that may run. */
  keeps({ item, priority, causes }: KeptRequest<Q>): boolean {
    const { key } = item;
    if (!this.#byKey.has(key)) return false;
    const known = this.#byKey.get(key);
    this.#byKey.set(key, {
      item,
      priority: Math.max(priority, known?.priority ?? priority),
      causes: [...new Set([...(known?.causes ?? []), ...causes])],
    });
    return true;
  }

  /** Resumes a request. Returns it if it was due. */
  resume(key: string): KeptRequest<Q> | undefined {
    const kept = this.#byKey.get(key);
    this.#byKey.delete(key);
    return kept;
  }

  /** Passes the kept requests of these causes to the causes that replace them, and drops those without any. */
  reassign(from: ReadonlySet<CauseSet>, heirsOf: HeirSets<Q>): void {
    for (const [key, kept] of this.#byKey) {
      if (kept?.causes.some(({ source }) => from.has(source)) !== true) continue;
      const { item, causes } = kept;
      const heirs = causes.flatMap((cause) =>
        from.has(cause.source)
          ? heirsOf(item, cause.source).map((heir) => heir.of(cause.reason))
          : [cause],
      );
      const next = { ...kept, causes: [...new Set(heirs)] };
      this.#byKey.set(key, next.causes.length === 0 ? undefined : next);
    }
  }

  /** Drops the kept requests that match. They stay paused. */
  purge(matches: (request: IdentifiedRequest<Q>) => boolean): void {
    for (const [key, kept] of this.#byKey) {
      if (kept !== undefined && matches(kept.item)) this.#byKey.set(key, undefined);
    }
  }
}
