import { defineIndex, defineResource, isDeleting } from '@keelson/manager';
import { resourceId } from '@keelson/manager/objects';
import type { ApiResource, Controller, DeepReadonly, DynamicWatch } from '@keelson/manager';
import type { InformerCache, Request } from '@keelson/manager';
import { Tally } from './custom-resource.ts';

// #region kinds
/** The kind that a Tally counts. */
export function kindOf({ spec }: DeepReadonly<Tally>): ApiResource {
  const { group, version, kind, plural } = spec;
  return defineResource({ group, version, kind, plural });
}

export const talliesByKind = defineIndex(Tally, 'kind', (tally) => [resourceId(kindOf(tally))]);

/** The kinds that Tallies count: one watch for each, however many count it. */
export class CountedKinds {
  readonly #cache: InformerCache;
  /** By resource id. */
  readonly #watches = new Map<string, DynamicWatch>();

  constructor(cache: InformerCache) {
    this.#cache = cache;
  }

  /** Adds watches of counted kinds, and removes those of kinds that no Tally counts. */
  async follow(controller: Controller): Promise<void> {
    const tallies = this.#cache.list(Tally).filter((tally) => !isDeleting(tally));
    const counted = new Map(tallies.map((tally) => [resourceId(kindOf(tally)), kindOf(tally)]));
    for (const [id, kind] of counted) {
      if (!this.#watches.has(id)) this.#watches.set(id, this.#add(controller, kind));
    }
    for (const [id, watch] of this.#watches) {
      if (counted.has(id)) continue;
      this.#watches.delete(id);
      await watch.remove();
    }
  }

  #add(controller: Controller, kind: ApiResource): DynamicWatch {
    const watch = controller.watch({
      resource: kind,
      map: ({ metadata }) => this.#talliesOf(kind, metadata.namespace),
    });
    // An empty kind has no events: its Tallies are enqueued when its watch has synced.
    const enqueueTallies = (): void =>
      this.#talliesOf(kind).forEach((tally) => controller.enqueue(tally));
    watch.synced.then(enqueueTallies).catch(() => undefined); // removed before it synced
    return watch;
  }

  #talliesOf(kind: ApiResource, namespace?: string): Request[] {
    return this.#cache.namesBy(talliesByKind, resourceId(kind), { namespace });
  }
}
// #endregion
