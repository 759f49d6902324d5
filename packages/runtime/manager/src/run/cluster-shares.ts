import type { ClusterRequest, IdentifiedRequest } from '../reconcile/request.ts';

/**
 * Divides the workers of a controller between clusters: a cluster takes a second worker only while as many workers stay free
 * as it then has. So the runs of a cluster that does not respond leave half of the workers to the others, and those of two
 * such clusters a quarter. The queue suspends a request that may not run yet, until a run ends.
 */
export class ClusterShares<Q extends object> {
  /** The number of runs in each cluster with any. */
  readonly #running = new Map<string, number>();
  /** The keys of the suspended requests of each cluster with any, the oldest first. Some may have left the queue. */
  readonly #waiting = new Map<string, Set<string>>();

  /** True if the request of this key was refused and not released. */
  waits(key: string): boolean {
    for (const keys of this.#waiting.values()) if (keys.has(key)) return true;
    return false;
  }

  /** Begins a run, or refuses it until `release`. `workers`: the number of all workers. */
  begins({ key, request }: IdentifiedRequest<Q>, workers: number): boolean {
    const cluster = clusterOf(request);
    if (cluster === undefined) return true;
    const keys = this.#waiting.get(cluster);
    if (!this.#mayRun(cluster, workers)) {
      if (keys === undefined) this.#waiting.set(cluster, new Set([key]));
      else keys.add(key);
      return false;
    }
    keys?.delete(key);
    this.#running.set(cluster, (this.#running.get(cluster) ?? 0) + 1);
    return true;
  }

  /** Ends a run that `begins` has begun. */
  ended(request: Q): void {
    const cluster = clusterOf(request);
    if (cluster === undefined) return;
    const left = (this.#running.get(cluster) ?? 0) - 1;
    if (left > 0) this.#running.set(cluster, left);
    else this.#running.delete(cluster);
  }

  /**
   * Releases the requests that may run now, at most one of each cluster. The others follow at the next call. `resume`
   * returns false for a request that is not suspended any more. Returns true if it released any.
   */
  release(workers: number, resume: (key: string) => boolean): boolean {
    let hasReleased = false;
    for (const [cluster, keys] of this.#waiting) {
      if (this.#mayRun(cluster, workers) && releaseFirst(keys, resume)) hasReleased = true;
      if (keys.size === 0) this.#waiting.delete(cluster);
    }
    return hasReleased;
  }

  #mayRun(cluster: string, workers: number): boolean {
    const own = this.#running.get(cluster) ?? 0;
    let all = 0;
    for (const count of this.#running.values()) all += count;
    return own === 0 || own + 1 <= workers - all - 1;
  }
}

function releaseFirst(keys: Set<string>, resume: (key: string) => boolean): boolean {
  for (const key of keys) {
    keys.delete(key);
    if (resume(key)) return true;
  }
  return false;
}

function clusterOf(request: object): string | undefined {
  const { cluster } = request as Partial<ClusterRequest>;
  return typeof cluster === 'string' ? cluster : undefined;
}
