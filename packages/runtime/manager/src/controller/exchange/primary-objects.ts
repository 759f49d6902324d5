import type { CauseSet } from '../../reconcile/cause.ts';
import type { Request } from '../../reconcile/request.ts';
import type { SourceWatches } from '../sources/source-watches.ts';

/**
 * The objects of `for`. They decide whether the request of a run is queued again. A change of the controller keeps their
 * source.
 */
export class PrimaryObjects<Q extends object> {
  readonly #source: SourceWatches<Q> | undefined;
  readonly #own: CauseSet;

  /** `own`: the causes of the requests that the controller itself queues. */
  constructor(source: SourceWatches<Q> | undefined, own: CauseSet) {
    this.#source = source;
    this.#own = own;
  }

  exists(request: Q): boolean {
    // With `for` a request is a plain name, because `objectIdentity` drops other members.
    const name = request as unknown as Request;
    return this.#source?.memberOf(name.namespace)?.objects.exists(name) ?? false;
  }

  /** `undefined` if the namespace of the request has left `for` and only its watch caused the run. */
  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined {
    const { namespace } = request as Partial<Request>;
    const source = this.#source;
    if (source === undefined || namespace === undefined) return this.#own;
    return source.memberOf(namespace)?.repeats ?? (isWithdrawn ? undefined : this.#own);
  }

  *repeated(): Generator<readonly [request: Q, source: CauseSet]> {
    for (const member of this.#source?.members ?? []) {
      for (const { namespace, name } of member.objects.views()) {
        const request = { namespace, name } as unknown as Q;
        const source = this.repeatsOf(request, false);
        if (source !== undefined) yield [request, source];
      }
    }
  }
}
