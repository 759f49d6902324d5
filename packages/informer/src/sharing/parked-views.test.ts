import { expect, test } from '@jest/globals';
import { createInformerCache } from '../cache/informer-cache.ts';
import { failing, statusError, Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { VersionedServer } from '../testing/versioned-server.test-support.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

stopTheClock();

test('views of a kind that is no longer served do not start watches for each other in a loop', async () => {
  const server = new VersionedServer();
  let isServed = true;
  let requests = 0;
  const respond = (error: Error): AsyncGenerator<never> => {
    // After too many requests the server is down, so that a loop ends and the test fails.
    return failing(++requests > 100 ? new Error('too many requests') : error);
  };
  const notFound = (): AsyncGenerator<never> => respond(statusError(404, 'NotFound'));
  await using cache = createInformerCache({
    listerWatcher: (query) => {
      const served = server.listerWatcher(query);
      return {
        list: (request) => (isServed ? served.list(request) : notFound()),
        watch: (request) => (isServed ? served.watch(request) : notFound()),
      };
    },
  });
  const acquire = (query: Partial<WatchQuery<Thing>>) =>
    cache.acquire({ resource: Thing, ...query }, { owner: 'test' });
  acquire({});
  acquire({ fieldSelector: 'metadata.namespace=n1' });
  await pass(0);
  isServed = false;
  for (const { watch } of server.streams) watch.end();
  await pass(1_000);
  const before = requests;
  const narrow = acquire({ labelSelector: 'app=x', namespace: 'n1' });
  await pass(0);
  expect(requests - before).toBeLessThan(5);
  isServed = true;
  server.set('a', { labels: { app: 'x' } });
  await pass(120_000);
  expect(narrow.store.size).toBe(1);
});
