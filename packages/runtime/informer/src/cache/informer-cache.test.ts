import { describe, expect, test } from '@jest/globals';
import { defineResource } from '@keelson/apimachinery';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  eventually,
  failing,
  objectFrame,
  silence,
  statusError,
  Thing,
} from '../testing/scripted-source.test-support.ts';

const holder = { owner: 'test' };
const Wide = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Wide',
  plural: 'wides',
  scope: 'Cluster',
});

describe('informer cache', () => {
  test('RC13 a read after the last release throws NOT_WATCHED and sends no request', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    expect(harness.cache.get(Thing, a)).toBeUndefined();
    handle.release();
    expect(() => harness.cache.get(Thing, a)).toThrow(withCode('NOT_WATCHED'));
    expect(() => harness.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(harness.source.requests).toHaveLength(1);
  });

  test('a read before the first sync throws NOT_SYNCED with the state of the watch', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(() => failing(statusError(429, 'TooManyRequests')));
    harness.acquire();
    await eventually(() => harness.cache.inventory()[0]?.health.state === 'backing-off');
    expect(() => harness.cache.list(Thing)).toThrow(
      expect.objectContaining({
        code: 'NOT_SYNCED',
        facts: expect.objectContaining({ state: 'backing-off', resource: 'example.com/v1/things' }),
      }),
    );
  });

  test('a read is served by a watch that has all its objects', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.set('b', { namespace: 'other' });
    await harness.synced({ labelSelector: 'app=web' });
    await harness.synced({ projection: 'metadata' });
    await harness.synced({ namespace: 'default' });
    expect(harness.cache.get(Thing, a)?.metadata.name).toBe('a');
    expect(() => harness.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(harness.cache.list(Thing, { labelSelector: 'app in (web)' })).toEqual([]);
    await harness.synced();
    expect(harness.cache.list(Thing)).toHaveLength(2);
    expect(harness.cache.list(Thing, { namespace: 'other' })).toHaveLength(1);
  });

  test('a read of a namespaced kind needs a namespace, a read of a cluster-scoped kind rejects it', async () => {
    await using harness = new Harness();
    const { cache } = harness;
    const [held, wide] = [await harness.synced(), cache.acquire({ resource: Wide }, holder)];
    await wide.synced;
    for (const name of [{ name: 'a' }, { namespace: '', name: 'a' }]) {
      const refusal = expect.objectContaining({
        code: 'NAMESPACE_REQUIRED',
        facts: { kind: 'Thing', name: 'a' },
      });
      expect(() => cache.get(Thing, name)).toThrow(refusal);
      for (const read of ['get', 'has', 'view'] as const)
        expect(() => held.store[read](name)).toThrow(refusal);
    }
    const refusal = expect.objectContaining({
      code: 'NAMESPACE_NOT_ALLOWED',
      facts: { kind: 'Wide', namespace: 'default' },
    });
    expect(() => cache.get(Wide, a)).toThrow(refusal);
    expect(() => cache.list(Wide, { namespace: 'default' })).toThrow(refusal);
    for (const read of ['get', 'has', 'view'] as const)
      expect(() => wide.store[read](a)).toThrow(refusal);
    for (const read of ['list', 'views'] as const)
      expect(() => wide.store[read]({ namespace: 'default' })).toThrow(refusal);
    expect(cache.get(Wide, { name: 'a' })).toBeUndefined();
    expect(cache.list(Wide, { namespace: '' })).toEqual([]);
  });

  test('the scope of a read is checked before its watches', async () => {
    await using harness = new Harness();
    expect(() => harness.cache.get(Thing, { name: 'a' })).toThrow(withCode('NAMESPACE_REQUIRED'));
    expect(() => harness.cache.list(Wide, { namespace: 'x' })).toThrow(
      withCode('NAMESPACE_NOT_ALLOWED'),
    );
  });

  test('a read with a token without a scope uses the name as given', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced();
    const { namespaced: _unsaid, ...rest } = Thing;
    const unsaid = rest as typeof Thing;
    expect(harness.cache.get(unsaid, a)).toBeDefined();
    expect(harness.cache.get(unsaid, { name: 'a' })).toBeUndefined();
    expect(harness.cache.list(unsaid, { namespace: 'default' })).toHaveLength(1);
  });

  test('objects with another scope than their token are stored as the server sent them', async () => {
    await using harness = new Harness();
    const { store } = await harness.synced();
    const [watch] = harness.source.openWatches;
    watch?.push([objectFrame('ADDED', { kind: 'Thing', metadata: { name: 'x' } })]);
    await eventually(() => store.size === 1);
    expect(store.list()).toMatchObject([{ metadata: { name: 'x' } }]);
    expect(harness.observer.of('loop')).toEqual([]);
  });

  test('SI46 waiting for sync can be aborted, has a deadline, and names the watches that have not synced', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    harness.acquire();
    const waiting = [
      { resource: 'example.com/v1/things', state: 'syncing', reason: expect.anything() },
    ];
    const notSynced = expect.objectContaining({ code: 'NOT_SYNCED', facts: { waiting } });
    await expect(harness.cache.waitForSync({ timeout: 1 })).rejects.toEqual(notSynced);
    await expect(
      harness.cache.waitForSync({ signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toEqual(notSynced);
    const abort = new AbortController();
    const aborted = harness.cache.waitForSync({ resources: [Thing], signal: abort.signal });
    abort.abort();
    await expect(aborted).rejects.toEqual(notSynced);
  });

  test('waiting for sync waits for required handles only', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    harness.cache.acquire({ resource: Thing }, { owner: 'test', required: false });
    await harness.cache.waitForSync({ timeout: 1_000 });
    expect(harness.cache.inventory()).toMatchObject([
      { synced: false, handles: [{ owner: 'test', required: false }] },
    ]);
  });

  test('a handle is required or not, and nothing else', async () => {
    await using harness = new Harness();
    const acquire = (required: unknown): unknown =>
      harness.cache.acquire({ resource: Thing }, { owner: 'test', required: required as boolean });
    expect([true, false].map((required) => acquire(required))).toMatchObject([
      { required: true },
      { required: false },
    ]);
    expect(() => acquire('true')).toThrow(withCode('INVALID_OPTION'));
  });

  test('retain "object" applies while one handle requests it', async () => {
    await using harness = new Harness();
    harness.source.toFrame = bytesFrame;
    const lazy = await harness.synced();
    const eager = harness.acquire({ retain: 'object' });
    harness.source.set('a');
    await harness.caughtUp(lazy);
    expect(lazy.store.bytes).toBe(0);
    eager.release();
    harness.source.set('b');
    await harness.caughtUp(lazy);
    expect(lazy.store.bytes).toBeGreaterThan(0);
    expect(harness.cache.inventory()).toMatchObject([{ retain: 'lazy', objects: 2 }]);
  });

  test('health listeners are notified until the release', async () => {
    await using harness = new Harness();
    const handle = harness.acquire();
    const states: string[] = [];
    handle.onHealthChange(({ state }) => states.push(state));
    await harness.caughtUp(handle);
    handle.release();
    await harness.cache.close();
    expect(states).toEqual(['live']);
    expect(harness.cache.inventory()).toEqual([]);
  });
});
