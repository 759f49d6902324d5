import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import type { QueuedRequest } from '../reconcile/queued-request.ts';
import type { IdentifiedRequest } from '../reconcile/request.ts';
import type { HeirSets } from './request-queue.ts';

/** A request that was due while it was held back. */
export interface KeptRequest<Q extends object> {
  readonly item: QueuedRequest<Q>;
  readonly priority: number;
  /** Every cause of the request since it was held back; empty if the queue knew none. */
  readonly causes: readonly QueuedCause[];
}

/**
 * The requests of a controller that do not run until they are released. A kept request is not in the queue, so that its
 * causes follow removed and replaced sources here as those of queued requests do there.
 */
export class HeldBackRequests<Q extends object> {
  /** By key; `undefined` if the request was not due meanwhile. */
  readonly #byKey = new Map<string, KeptRequest<Q> | undefined>();
  readonly #dropped: (key: string) => void;
  #keptCount = 0;

  /** `dropped` receives the key of each kept request that is dropped. */
  constructor(dropped: (key: string) => void) {
    this.#dropped = dropped;
  }

  /** The number of requests that are held back, whether or not they are due. */
  get size(): number {
    return this.#byKey.size;
  }

  /** The number of kept requests. */
  get keptCount(): number {
    return this.#keptCount;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The request of this key, if it was due while it was held back. */
  kept(key: string): KeptRequest<Q> | undefined {
    return this.#byKey.get(key);
  }

  *allKept(): Generator<KeptRequest<Q>, void, undefined> {
    for (const kept of this.#byKey.values()) if (kept !== undefined) yield kept;
  }

  holdBack(key: string): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, undefined);
  }

  /** Keeps a request that is due, if it is held back. Returns false for one that may run. */
  keeps({ item, priority, causes }: KeptRequest<Q>): boolean {
    const { key } = item;
    if (!this.#byKey.has(key)) return false;
    const known = this.#byKey.get(key);
    this.#set(key, {
      item,
      priority: Math.max(priority, known?.priority ?? priority),
      causes: [...new Set([...(known?.causes ?? []), ...causes])],
    });
    return true;
  }

  /** Returns the request if it was due. */
  release(key: string): KeptRequest<Q> | undefined {
    const kept = this.#byKey.get(key);
    if (kept !== undefined) this.#keptCount -= 1;
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
          ? heirsOf(item, cause.source).map((heir) => heir.by[cause.reason])
          : [cause],
      );
      if (heirs.length > 0) this.#set(key, { ...kept, causes: [...new Set(heirs)] });
      else this.#drop(key);
    }
  }

  /** Drops the kept requests that match. They stay held back. */
  purge(matches: (request: IdentifiedRequest<Q>) => boolean): void {
    for (const [key, kept] of this.#byKey) {
      if (kept !== undefined && matches(kept.item)) this.#drop(key);
    }
  }

  #set(key: string, kept: KeptRequest<Q>): void {
    if (this.#byKey.get(key) === undefined) this.#keptCount += 1;
    this.#byKey.set(key, kept);
  }

  #drop(key: string): void {
    this.#byKey.set(key, undefined);
    this.#keptCount -= 1;
    this.#dropped(key);
  }
}
