import type { CauseSet } from '../reconcile/cause.ts';
import type { Request } from '../reconcile/request.ts';
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
    const name = request as unknown as Request;
    return this.#sources.primaryOf(name.namespace)?.objects.exists(name) ?? false;
  }

  /**
   * `undefined` if the request has moved to another replica, or if its namespace has left `for` and only its watch
   * caused the run.
   */
  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined {
    if (this.#isElsewhere(request)) return undefined;
    const { namespace } = request as Partial<Request>;
    if (this.#sources.primary === undefined || namespace === undefined) return this.#own;
    return this.#sources.primaryOf(namespace)?.repeats ?? (isWithdrawn ? undefined : this.#own);
  }

  *repeated(): Generator<readonly [request: Q, source: CauseSet]> {
    for (const member of this.#sources.primary?.members ?? []) {
      for (const { namespace, name } of member.objects.views()) {
        const request = { namespace, name } as unknown as Q;
        const source = this.repeatsOf(request, false);
        if (source !== undefined) yield [request, source];
      }
    }
  }
}
