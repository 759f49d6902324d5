// #region operator
import { createManager, generationChanged, TerminalError } from '@keelson/manager';
import type { Manager, ManagerOptions } from '@keelson/manager';
import { ensureBucket } from './ensure-bucket.ts';
import type { BucketStore } from './bucket-store.ts';
import { Bucket } from './custom-resource.ts';

export function createOperator(options: ManagerOptions, store: BucketStore): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'bucket',
    for: { resource: Bucket, predicates: [generationChanged] },
    concurrency: 4, // calls to the store are slow; one object is never reconciled twice at a time
    async reconcile({ namespace, name }, { cache, client, events, finalizer, signal }) {
      const object = cache.get(Bucket, { namespace, name });
      if (object === undefined) return;
      const id = object.metadata.uid; // a new object with an old name gets its own bucket
      return finalizer({
        resource: Bucket,
        object,
        finalizer: 'examples.keelson.dev/bucket',
        async apply(bucket) {
          const { status, reason, message } = await ensureBucket(store, id, bucket);
          await client.status(Bucket).apply({ metadata: { namespace, name }, status }, { signal });
          if (status.url === undefined) throw new TerminalError(message); // the spec must change first
          events.record(bucket, { reason, action: 'EnsureBucket', note: message });
          return { requeueAfter: '10m' }; // the store sends no events
        },
        async cleanup() {
          await store.remove(id); // until it succeeds the Bucket stays, with its finalizer
        },
      });
    },
  });
  return manager;
}
// #endregion
