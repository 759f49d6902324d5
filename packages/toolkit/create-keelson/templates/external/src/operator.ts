import { createManager, generationChanged, TerminalError } from '@keelson/manager';
import type { Manager, ManagerOptions } from '@keelson/manager';
import { RefusedError, type BucketStore } from './bucket-store.ts';
import { Website } from './website.ts';

/** Keeps a bucket in the store for each Website, and deletes it with its object. */
export function createOperator(options: ManagerOptions, store: BucketStore): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'website',
    for: { resource: Website, predicates: [generationChanged] },
    concurrency: 4, // calls of the store are slow; an object is never reconciled twice at a time
    async reconcile({ namespace, name }, { cache, finalizer, patchStatus, signal }) {
      const object = cache.get(Website, { namespace, name });
      if (object === undefined) return;
      const { uid: id } = object.metadata; // a new object with an old name gets its own bucket
      return finalizer({
        resource: Website,
        object,
        finalizer: 'shop.example/bucket',
        async apply(current) {
          try {
            const url = await store.ensure(id, current.spec.region, signal);
            const ready = {
              type: 'Ready',
              status: 'True',
              reason: 'Available',
              message: '',
            } as const;
            await patchStatus(Website, current, { url, conditions: [ready] });
            return { requeueAfter: '10m' }; // the store sends no events
          } catch (error) {
            if (!(error instanceof RefusedError)) throw error; // a retry may succeed
            const { message } = error;
            const ready = { type: 'Ready', status: 'False', reason: 'Refused', message } as const;
            await patchStatus(Website, current, { url: null, conditions: [ready] });
            throw new TerminalError(message); // the spec must change first
          }
        },
        async cleanup() {
          await store.remove(id, signal); // until it succeeds the object stays, with its finalizer
        },
      });
    },
  });
  return manager;
}
