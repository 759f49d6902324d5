import {
  createManager,
  defineResource,
  generationChanged,
  hasCode,
  isDeleting,
  requestFor,
} from '@keelson/manager';
import { resourceId } from '@keelson/manager/objects';
import type { ApiResource, DeepReadonly, Manager, ManagerOptions } from '@keelson/manager';
import { Website } from './website.ts';

/** Counts the objects of the kind that each Website names. The kinds are watched while an object names them. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  const controller = manager.addController({
    name: 'website',
    for: { resource: Website, predicates: [generationChanged] },
    async reconcile({ namespace, name }, { cache, patchStatus }) {
      const live = cache.list(Website).filter((object) => !isDeleting(object));
      // Applies the difference: the watches of kinds that are still named stay.
      await controller.replaceWatches('sources', sourcesOf(live).map(watchOf));

      const object = cache.get(Website, { namespace, name });
      if (object === undefined || isDeleting(object)) return;
      try {
        const count = cache.list(defineResource(object.spec.source), { namespace }).length;
        const ready = { type: 'Ready', status: 'True', reason: 'Counted', message: '' } as const;
        await patchStatus(Website, object, { count, conditions: [ready] });
      } catch (error) {
        if (!hasCode(error, 'NOT_SYNCED')) throw error;
        const state = String(error.facts['state']);
        // A watch that has not synced yet is not an empty list.
        if (state === 'syncing') return { requeueAfter: '1s' };
        const message = `the watch is ${state}`; // 'forbidden', for example
        const ready = { type: 'Ready', status: 'False', reason: 'NotWatched', message } as const;
        await patchStatus(Website, object, { conditions: [ready] });
        return { requeueAfter: '10s' };
      }
    },
  });

  /** An event of the kind leads to a run of each Website in the namespace, because each may name the kind. */
  const watchOf = (resource: ApiResource) => ({
    resource,
    map: ({ namespace = '' }) => manager.cache.list(Website, { namespace }).map(requestFor),
  });
  return manager;
}

/** The kinds that the objects name, each once. */
function sourcesOf(objects: readonly DeepReadonly<Website>[]): ApiResource[] {
  const kinds = objects.map(({ spec }) => defineResource(spec.source));
  return [...new Map(kinds.map((kind) => [resourceId(kind), kind])).values()];
}
