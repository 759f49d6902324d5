import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createInformerCache } from './informer-cache.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { a, Other, Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  threeThings,
} from '../testing/selecting-source.test-support.ts';

describe('a released handle', () => {
  test('rejects reads and listeners while its watch continues', async () => {
    await using cache = cacheOf(threeThings());
    const [handle] = [await acquired(cache), await acquired(cache)];
    const { store } = handle;
    handle.release();
    const uses: (() => unknown)[] = [
      () => store.size,
      () => store.bytes,
      () => store.resourceVersion,
      () => store.get(a),
      () => store.has(a),
      () => store.view(a),
      () => store.list(),
      () => store.views(),
      () => handle.store.get(a),
      () => handle.onHealthChange(() => undefined),
      () => handle.addEventHandler(() => undefined),
      () => handle.events(),
      () => handle.addIndexer({ name: 'uid', head: () => [] }),
    ];
    for (const use of uses) expect(use).toThrow(withCode('HANDLE_RELEASED'));
    await expect(store.listAsync()).rejects.toEqual(withCode('HANDLE_RELEASED'));
    expect(cache.get(Thing, a)).toBeDefined();
  });
});

describe('waiting for sync', () => {
  test('rejects for a kind without a handle, and names the watch to declare', async () => {
    await using cache = cacheOf(threeThings());
    const refused = {
      code: 'NOT_WATCHED',
      facts: { resource: 'example.com/v1/others', declare: 'acquire({ resource: Other }, …)' },
    };
    await expect(cache.waitForSync({ resources: [Other] })).rejects.toMatchObject(refused);
    const handle = await acquired(cache);
    handle.release();
    await expect(cache.waitForSync({ resources: [Thing] })).rejects.toEqual(
      withCode('NOT_WATCHED'),
    );
  });

  test('continues when the handle of one of the watches is released', async () => {
    const server = threeThings();
    server.isSilent = ({ namespace }) => namespace !== undefined;
    await using cache = cacheOf(server);
    await acquired(cache);
    const [leaving, staying] = ['default', 'other'].map((namespace) =>
      cache.acquire({ resource: Thing, namespace, sharing: 'exact' }, holder),
    );
    let isOver = false;
    const waiting = cache.waitForSync().then(() => (isOver = true));
    leaving?.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    staying?.release();
    await waiting;
  });

  test('waits for a watch that is acquired during the wait', async () => {
    const server = threeThings();
    server.isSilent = ({ namespace }) => namespace !== undefined;
    await using cache = cacheOf(server);
    const first = cache.acquire({ resource: Thing, namespace: 'default' }, holder);
    const waiting = cache.waitForSync({ timeout: 1_000 });
    const whole = cache.acquire({ resource: Thing }, holder);
    first.release();
    await waiting;
    expect(whole.hasSynced).toBe(true);
  });

  test('leaves no listener on the signal of its caller', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const { signal } = new AbortController();
    cache.acquire({ resource: Thing }, holder);
    const waiting = cache.waitForSync({ signal, timeout: 60_000 });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    server.isSilent = () => true;
    const silent = cache.acquire({ resource: Thing, namespace: 'default' }, { ...holder });
    const scoped = cache.waitForSync({ signal, timeout: 0 });
    await scoped.catch(() => undefined);
    silent.release();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('ends with CACHE_CLOSED when the cache is closed', async () => {
    const server = threeThings();
    server.isSilent = () => true;
    const cache = cacheOf(server);
    cache.acquire({ resource: Thing }, holder);
    const waiting = cache.waitForSync();
    await cache.close();
    await expect(waiting).rejects.toEqual(withCode('CACHE_CLOSED'));
  });
});

describe('a timeout that is longer than the longest timer of Node.js', () => {
  stopTheClock();

  test('does not end a wait for sync at once', async () => {
    const server = threeThings();
    server.isSilent = () => true;
    await using cache = cacheOf(server);
    cache.acquire({ resource: Thing }, holder);
    let code: unknown;
    void cache.waitForSync({ timeout: '1000h' }).catch((error: { code: unknown }) => {
      code = error.code;
    });
    await pass(60_000);
    expect(code).toBeUndefined();
  });

  test('does not end a lingering watch at once', async () => {
    const { listerWatcher } = threeThings();
    await using cache = createInformerCache({ listerWatcher, linger: '1000h' });
    (await acquired(cache)).release();
    await pass(60_000);
    expect(cache.inventory()).toHaveLength(1);
  });
});
