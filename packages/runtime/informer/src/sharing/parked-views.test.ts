import { expect, test } from '@jest/globals';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { failing, statusError, Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { VersionedServer } from '../testing/versioned-server.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

stopTheClock();

/** A server that refuses every request while it has an error, and counts the requests that it refuses. */
class RefusingServer {
  readonly server: VersionedServer = new VersionedServer();
  error: Error | undefined;
  refused = 0;
  readonly cache: InformerCache = createInformerCache({
    listerWatcher: (query) => {
      const served = this.server.listerWatcher(query);
      return {
        list: (request) => this.#refusal() ?? served.list(request),
        watch: (request) => this.#refusal() ?? served.watch(request),
      };
    },
  });

  acquire(query: Partial<WatchQuery<Thing>>): WatchHandle<Thing> {
    return this.cache.acquire({ resource: Thing, ...query }, { owner: 'test' });
  }

  async refuse(error: Error): Promise<void> {
    this.error = error;
    for (const { watch } of this.server.streams) watch.end();
    await pass(1_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }

  /** After too many requests the server is down, so that a loop ends and the test fails. */
  #refusal(): AsyncGenerator<never> | undefined {
    if (this.error === undefined) return undefined;
    return failing(++this.refused > 100 ? new Error('too many requests') : this.error);
  }
}

test('views of a kind that is no longer served do not start watches for each other in a loop', async () => {
  await using setup = new RefusingServer();
  setup.acquire({});
  setup.acquire({ fieldSelector: 'metadata.namespace=n1' });
  await pass(0);
  await setup.refuse(statusError(404, 'NotFound'));
  const before = setup.refused;
  const narrow = setup.acquire({ labelSelector: 'app=x', namespace: 'n1' });
  await pass(0);
  expect(setup.refused - before).toBeLessThan(5);
  setup.error = undefined;
  setup.server.set('a', { labels: { app: 'x' } });
  await pass(120_000);
  expect(narrow.store.size).toBe(1);
});

test('two views of the same objects do not start forbidden watches for each other in a loop', async () => {
  await using setup = new RefusingServer();
  setup.acquire({});
  setup.acquire({ namespace: 'n1' });
  await pass(10_000);
  const last = setup.acquire({ fieldSelector: 'metadata.namespace=n1' });
  await pass(0);
  await setup.refuse(statusError(403, 'Forbidden'));
  expect(setup.refused).toBeLessThan(15);
  setup.error = undefined;
  setup.server.set('a');
  await pass(120_000);
  expect(last.store.size).toBe(1);
});
