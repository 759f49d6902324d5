import { until } from '@keelson/example-support';
import { findCondition, type Client } from '@keelson/manager';
import type { MemoryBucketStore } from './bucket-store.ts';
import { Bucket } from './custom-resource.ts';

/** Creates a Bucket, deletes it during an outage of the store, and prints what the operator does. */
export async function tour(
  client: Client,
  store: MemoryBucketStore,
  say: (line: string) => void,
): Promise<void> {
  const name = { namespace: 'default', name: 'photos' };

  await client.create(Bucket, { metadata: name, spec: { region: 'west' } });
  const refused = await until(client, Bucket, name, (bucket) => reasonOf(bucket) !== undefined);
  say(`created Bucket photos in an unknown region: Ready is False, ${reasonOf(refused)}`);

  await client.patch(Bucket, name, { type: 'merge', body: { spec: { region: 'north' } } });
  const made = await until(client, Bucket, name, (bucket) => reasonOf(bucket) === 'Available');
  say(`moved it to north: Ready is True, ${made?.status?.url}`);

  store.outage = new Error('the store is down');
  const before = store.calls;
  await client.delete(Bucket, name);
  await until(client, Bucket, name, (bucket) => bucket?.metadata.deletionTimestamp !== undefined);
  say('the store is down, and the Bucket is deleted: its finalizer holds it');

  store.outage = undefined;
  await until(client, Bucket, name, (bucket) => bucket === undefined);
  say(
    `the store is back, after ${store.calls - before} tries: ${store.buckets.size} buckets are left`,
  );
}

function reasonOf(bucket: Bucket | undefined): string | undefined {
  return findCondition(bucket?.status?.conditions, 'Ready')?.reason;
}
