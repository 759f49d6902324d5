import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  findCondition,
  type Client,
  type Condition,
  type Persisted,
} from '@keelson/manager';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { MemoryBucketStore } from './bucket-store.ts';
import { bucketDefinition } from './custom-resource-definition.ts';
import { Bucket } from './custom-resource.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const name = { namespace: 'default', name: 'photos' };

function readyOf(bucket: Bucket | undefined): Condition | undefined {
  return findCondition(bucket?.status?.conditions, 'Ready');
}

describe('external-bucket', () => {
  let example: StartedExample;
  let client: Client;
  let store: MemoryBucketStore;

  beforeEach(async () => {
    store = new MemoryBucketStore();
    example = await startExample({
      definitions: [bucketDefinition],
      createOperator: (options) => createOperator(options, store),
    });
    ({ client } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const create = (region: string): Promise<Bucket> =>
    client.create(Bucket, { metadata: name, spec: { region } });
  const untilReady = (reason: string): Promise<Persisted<Bucket> | undefined> =>
    until(client, Bucket, name, (bucket) => readyOf(bucket)?.reason === reason);
  const untilGone = (): Promise<unknown> =>
    until(client, Bucket, name, (bucket) => bucket === undefined);

  test('makes a bucket, and only once the finalizer is there to clean up after it', async () => {
    store.outage = new Error('the store is down');
    await create('north');
    const held = await until(client, Bucket, name, (bucket) => {
      return (bucket?.metadata.finalizers ?? []).length > 0;
    });
    expect(held?.metadata.finalizers).toEqual(['examples.keelson.dev/bucket']);
    store.outage = undefined;
    const made = await untilReady('Available');
    const id = made?.metadata.uid ?? '';
    expect(made?.status?.url).toBe(`https://north.buckets.example.com/${id}`);
    expect(store.buckets).toEqual(new Map([[id, 'north']]));
  });

  test('reports an invalid spec in its condition, and retries when the spec changes', async () => {
    await create('west');
    const refused = await untilReady('UnknownRegion');
    expect(readyOf(refused)).toMatchObject({ status: 'False', message: 'no region west' });
    await client.patch(Bucket, name, { type: 'merge', body: { spec: { region: 'south' } } });
    const made = await untilReady('Available');
    expect(readyOf(made)).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  test('deletes the bucket with its object, also if the store is down at first', async () => {
    await create('north');
    await untilReady('Available');
    store.outage = new Error('the store is down');
    await client.delete(Bucket, name);
    expect((await client.get(Bucket, name)).metadata.deletionTimestamp).toBeDefined();
    store.outage = undefined;
    await untilGone();
    expect(store.buckets.size).toBe(0);
  });

  test('reports the bucket in an event', async () => {
    await create('north');
    for await (const { type, object } of client.watch(builtin.Event, { namespace: 'default' })) {
      if (type === 'BOOKMARK') continue;
      expect(object).toMatchObject({ reason: 'Available', message: 'the bucket is in north' });
      break;
    }
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, store, (line) => lines.push(line));
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toMatch(/0 buckets are left$/);
  });
});
