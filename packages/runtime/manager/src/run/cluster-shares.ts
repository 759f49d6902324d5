import type { CauseSet } from '../reconcile/cause.ts';
import type { ClusterRequest, IdentifiedRequest } from '../reconcile/request.ts';
import { HeldBackRequests, type KeptRequest } from './held-back-requests.ts';
import type { HeirSets } from './request-queue.ts';

/**
 * Divides the workers of a controller between clusters: a cluster takes a second worker only while as many workers stay free
 * as it then has. So the runs of a cluster that does not respond leave half of the workers to the others, and those of two
 * such clusters a quarter. A request that may not run yet is kept outside of the queue until a run ends.
 */
export class ClusterShares<Q extends object> {
  /** The number of runs in each cluster with any. */
  readonly #running = new Map<string, number>();
  /** The keys of the kept requests of each cluster with any, the oldest first. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #kept: HeldBackRequests<Q>;

  /** `dropped` receives the key of each kept request that is dropped. */
  constructor(dropped: (key: string) => void) {
    this.#kept = new HeldBackRequests(dropped);
  }

  /** The number of kept requests. */
  get keptCount(): number {
    return this.#kept.keptCount;
  }

  /** The request of this key, if it waits for a run of its cluster to end. */
  kept(key: string): KeptRequest<Q> | undefined {
    return this.#kept.kept(key);
  }

  allKept(): Iterable<KeptRequest<Q>> {
    return this.#kept.allKept();
  }

  /** Begins a run, or keeps its request. `workers`: the number of all workers. Returns false for a kept request. */
  begins(work: KeptRequest<Q>, workers: number): boolean {
    const cluster = clusterOf(work.item.request);
    if (cluster === undefined) return true;
    const { key } = work.item;
    if (this.#mayRun(cluster, workers)) {
      this.#running.set(cluster, (this.#running.get(cluster) ?? 0) + 1);
      // The run sees the state for which an earlier event is kept.
      this.#kept.release(key);
      return true;
    }
    this.#waiting.set(cluster, (this.#waiting.get(cluster) ?? new Set()).add(key));
    this.#kept.holdBack(key);
    this.#kept.keeps(work);
    return false;
  }

  /** Ends a run that `begins` has begun. */
  ended(request: Q): void {
    const cluster = clusterOf(request);
    if (cluster === undefined) return;
    const left = (this.#running.get(cluster) ?? 0) - 1;
    if (left > 0) this.#running.set(cluster, left);
    else this.#running.delete(cluster);
  }

  /** Returns the kept requests that may run now, at most one of each cluster. The others follow at the next call. */
  released(workers: number): readonly KeptRequest<Q>[] {
    return [...this.#waiting.keys()].flatMap((one) => {
      return this.#mayRun(one, workers) ? this.#next(one) : [];
    });
  }

  /** Returns all kept requests and keeps none of them, because the number of workers has changed. */
  releasedAll(): readonly KeptRequest<Q>[] {
    const keys = Array.from(this.#waiting.values(), (waiting) => [...waiting]).flat();
    this.#waiting.clear();
    return keys.flatMap((key) => this.#kept.release(key) ?? []);
  }

  /** Passes the kept requests of these causes to the causes that replace them, and drops those without any. */
  reassign(from: ReadonlySet<CauseSet>, heirsOf: HeirSets<Q>): void {
    this.#kept.reassign(from, heirsOf);
  }

  /** Drops the kept requests that match. */
  purge(matches: (request: IdentifiedRequest<Q>) => boolean): void {
    this.#kept.purge(matches);
  }

  #mayRun(cluster: string, workers: number): boolean {
    const own = this.#running.get(cluster) ?? 0;
    let all = 0;
    for (const count of this.#running.values()) all += count;
    return own === 0 || own + 1 <= workers - all - 1;
  }

  /** The oldest kept request of a cluster that was not dropped. */
  #next(cluster: string): KeptRequest<Q>[] {
    const keys = this.#waiting.get(cluster) ?? new Set<string>();
    for (const key of keys) {
      keys.delete(key);
      const kept = this.#kept.release(key);
      if (kept === undefined) continue;
      if (keys.size === 0) this.#waiting.delete(cluster);
      return [kept];
    }
    this.#waiting.delete(cluster);
    return [];
  }
}

function clusterOf(request: object): string | undefined {
  const { cluster } = request as Partial<ClusterRequest>;
  return typeof cluster === 'string' ? cluster : undefined;
}
