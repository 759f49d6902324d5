import type { CauseSet } from '../reconcile/cause.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import { clusterOf } from '../sources/source-options.ts';
import type { IterableSources } from '../sources/iterables/iterable-sources.ts';
import type { SourceSet } from './source-set.ts';

/** Decides for the loop, by the objects of `for`, whether the request of a run is queued again. */
export class RequestOrigins<Q extends object> {
  readonly iterables: IterableSources<Q>;
  readonly #sources: SourceSet<Q>;
  readonly #own: CauseSet;
  readonly #isElsewhere: (request: Q) => boolean;

  /**
   * `own`: the causes of the requests that the controller itself queues. `isElsewhere`: true if a sharding has moved a
   * request to another replica.
   */
  constructor(
    sources: SourceSet<Q>,
    iterables: IterableSources<Q>,
    { own, isElsewhere }: { readonly own: CauseSet; readonly isElsewhere: (request: Q) => boolean },
  ) {
    this.#sources = sources;
    this.iterables = iterables;
    this.#own = own;
    this.#isElsewhere = isElsewhere;
  }

  exists(request: Q): boolean {
    // With `for` a request is a plain name, because `objectIdentity` drops other members.
    const name = request as unknown as ClusterRequest;
    return this.#sources.primaryOf(name)?.objects.exists(name) ?? false;
  }

  /**
   * `undefined` if the request has moved to another replica, or if its namespace or cluster has left `for` and only its watch
   * caused the run.
   */
  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined {
    if (this.#isElsewhere(request)) return undefined;
    const place = request as Partial<ClusterRequest>;
    const isPlaced = place.namespace !== undefined || place.cluster !== undefined;
    if (!this.#sources.hasFor || !isPlaced) return this.#own;
    return this.#sources.primaryOf(place)?.repeats ?? (isWithdrawn ? undefined : this.#own);
  }

  isOwn(source: CauseSet): boolean {
    return source === this.#own || [...this.iterables.all].some(({ causes }) => causes === source);
  }

  *repeated(): Generator<readonly [request: Q, source: CauseSet]> {
    for (const { members, plan, options } of this.#sources.primaries) {
      const cluster = plan.spans ? { cluster: clusterOf(options) } : {};
      for (const { namespace, name } of members.flatMap(({ objects }) => objects.views())) {
        const request = { ...cluster, namespace, name } as object as Q;
        const source = this.repeatsOf(request, false);
        if (source !== undefined) yield [request, source];
      }
    }
  }
}
