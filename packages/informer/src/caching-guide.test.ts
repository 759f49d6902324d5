import { expect, test } from '@jest/globals';
import { eventually, Thing } from './testing/scripted-source.test-support.ts';
import { VersionedServer } from './testing/versioned-server.test-support.ts';
import type { InformerCache } from './index.ts';

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

import { createInformerCache, type WatchHandle } from './index.ts';

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
