import { expect, test } from '@jest/globals';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';
import { VersionedServer } from '../testing/versioned-server.test-support.ts';
import type { InformerCache } from '@keelson/informer';

function cacheOf(server: VersionedServer): InformerCache {
  return createInformerCache({ listerWatcher: server.listerWatcher, linger: 0 });
}

test('the code of the guide serves a narrower query from a wide watch', async () => {
  const server = new VersionedServer();
  server.set('a', { labels: { app: 'web' } });
  server.set('b');
  await using cache = cacheOf(server);
  const { all, web, lines } = await share(cache);
  expect(server.requests).toHaveLength(1);
  expect(lines).toEqual(['added n1/a']);
  server.set('b', { labels: { app: 'web' } });
  server.set('a');
  await eventually(() => lines.length === 3);
  expect(lines.slice(1)).toEqual(['added n1/b', 'deleted n1/a']);
  expect(printPlan(cache)).toEqual(['everything: own watch', 'web: view of a wider watch']);
  all.release();
  await eventually(() => cache.plan()[0]?.isView === false);
  expect(printPlan(cache)).toEqual(['web: own watch']);
  web.release();
});

test('the code of the guide opts out of views', async () => {
  const server = new VersionedServer();
  await using cache = cacheOf(server);
  await share(cache);
  await exact(cache).synced;
  expect(server.requests).toHaveLength(2);
  expect(printPlan(cache)).toContain('alone: own watch');
});

test('the code of the guide reads own writes', async () => {
  const server = new VersionedServer();
  server.isHeld = true;
  await using cache = cacheOf(server);
  const handle = cache.acquire({ resource: Thing }, { owner: 'guide' });
  await handle.synced;
  const name = { namespace: 'n1', name: 'a' };
  const client: Writer = {
    withWriteObserver: (observer) => ({
      async create(resource) {
        const object = server.set('a');
        observer.written(resource, object);
        return object;
      },
    }),
  };
  const { own, received } = await readYourWrites(cache, client, name);
  expect([own?.metadata.name, received]).toEqual(['a', undefined]);
  handle.release();
});

import type { ApiResource, ObjectName } from '@keelson/apimachinery';
import { createInformerCache, type WatchHandle } from '@keelson/informer';

/** The part of a client that the guide uses. This package does not import the client. */
interface Writer {
  withWriteObserver(observer: Pick<InformerCache, 'written' | 'deleted'>): {
    create(resource: ApiResource<Thing>, object: Thing): Promise<Thing>;
  };
}

// #region share
async function share(cache: InformerCache) {
  const all = cache.acquire({ resource: Thing }, { owner: 'everything' });
  await all.synced;

  // The watch of all Things covers this query: no request is sent.
  const web = cache.acquire({ resource: Thing, labelSelector: 'app=web' }, { owner: 'web' });
  const lines: string[] = [];
  const { synced } = web.addEventHandler(({ type, key }) => lines.push(`${type} ${key}`));
  await synced;
  return { all, web, lines };
}
// #endregion

// #region own
async function readYourWrites(cache: InformerCache, client: Writer, name: ObjectName) {
  const writer = client.withWriteObserver(cache);
  await writer.create(Thing, { metadata: name });
  const own = cache.get(Thing, name); // the created object, also before its event
  const received = cache.get(Thing, name, { overlay: false }); // what handlers have received
  return { own, received };
}
// #endregion

// #region plan
function printPlan(cache: InformerCache): string[] {
  return cache
    .plan()
    .map(({ owner, isView }) => `${owner}: ${isView ? 'view of a wider watch' : 'own watch'}`);
}
// #endregion

// #region exact
function exact(cache: InformerCache): WatchHandle {
  const query = { resource: Thing, labelSelector: 'app=web', sharing: 'exact' } as const;
  return cache.acquire(query, { owner: 'alone' });
}
// #endregion
