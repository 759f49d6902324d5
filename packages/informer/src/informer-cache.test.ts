import { describe, expect, jest, test } from '@jest/globals';
import { defineResource } from '@keelson/apimachinery';
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { Harness, namesIn, Told } from './harness.test-support.ts';
import { collectGarbage } from './collect-garbage.test-support.ts';
import { createInformerCache, type InformerCache } from './informer-cache.ts';
import {
  bytesFrame,
  eventually,
  failing,
  refused,
  ScriptedSource,
  silence,
  statusError,
  Thing,
} from './scripted-source.test-support.ts';
import type { WatchHandle } from './watch-handle.ts';

const a = { namespace: 'default', name: 'a' };
const Other = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Other',
  plural: 'others',
});

function withCode(code: string): unknown {
  return expect.objectContaining({ code });
}

describe('informer cache: shares', () => {
  test('RC01 ten holders of one kind are one watch', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handles = await Promise.all(Array.from({ length: 10 }, () => harness.synced()));
    expect(handles.map(namesIn)).toEqual(Array.from({ length: 10 }, () => ['a']));
    expect(harness.source.requests).toHaveLength(1);
    expect(harness.cache.inventory()).toHaveLength(1);
  });

  test('RC02 the watch ends with its last holder, and a double release is nobody else’s', async () => {
    await using harness = new Harness({ linger: 0 });
    const [first, second] = [await harness.synced(), await harness.synced()];
    first.release();
    first.release();
    first[Symbol.dispose]();
    await eventually(() => harness.source.openWatches.size === 1);
    expect(second.hasSynced).toBe(true);
    second.release();
    await eventually(() => harness.source.openRequests === 0);
    second.release();
    expect(harness.cache.inventory()).toEqual([]);
  });

  test('RC03 the last release ends the request, frees the store, clears the timers, tells the observer', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      await using harness = new Harness();
      harness.source.toFrame = bytesFrame;
      harness.source.set('a');
      const handle = await harness.synced();
      handle.store.get(a);
      handle.release();
      expect(harness.cache.inventory()).toMatchObject([{ handles: [] }]);
      await jest.advanceTimersByTimeAsync(9_999);
      expect(harness.source.openRequests).toBe(1);
      await jest.advanceTimersByTimeAsync(1);
      await eventually(() => harness.source.openRequests === 0);
      expect(harness.cache.inventory()).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
      expect(harness.observer.lines.slice(-2)).toEqual(['health stopped', 'stopped']);
      expect(handle.health.state).toBe('stopped');
    } finally {
      jest.useRealTimers();
    }
  });

  test('RC04 a release while the sync is pending rejects the waiters with a code', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    const handle = harness.acquire();
    const told = new Told(handle);
    handle.release();
    await expect(handle.synced).rejects.toEqual(withCode('HANDLE_RELEASED'));
    await expect(told.registration.synced).rejects.toEqual(withCode('REGISTRATION_REMOVED'));
    expect(() => handle.addEventHandler(() => undefined)).toThrow(withCode('HANDLE_RELEASED'));
  });

  test('RC05 RC15 acquire, release and the end of the linger in any order: one live informer, no orphan', async () => {
    const action = record({
      does: constantFrom('acquire', 'acquire', 'release', 'handle', 'turn', 'linger'),
      which: constantFrom(0, 1, 2, 3),
    });
    await assert(
      asyncProperty(array(action, { maxLength: 40 }), async (actions) => {
        await using harness = new Harness({ linger: 1 });
        harness.source.set('a');
        const held: { handle: WatchHandle<Thing>; told: Told }[] = [];
        const gone: { told: Told; heard: number }[] = [];
        for (const { does, which } of actions) {
          if (does === 'acquire') {
            const handle = harness.acquire();
            held.push({ handle, told: new Told(handle) });
          } else if (does === 'release') {
            const [out] = held.splice(which, 1);
            out?.handle.release();
            out?.handle.release();
            if (out !== undefined) gone.push({ told: out.told, heard: out.told.events.length });
          } else if (does === 'turn') {
            await new Promise((resolve) => setImmediate(resolve));
          } else if (does === 'linger') {
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          expect(harness.cache.inventory().length).toBeLessThanOrEqual(1);
          expect(harness.source.openWatches.size).toBeLessThanOrEqual(2);
        }
        harness.source.set('b');
        await Promise.all(held.map(({ told }) => told.registration.synced));
        await eventually(() => held.every(({ handle }) => handle.store.size === 2));
        for (const { told } of held)
          expect(told.lines.map((line) => line.slice(-1)).toSorted()).toEqual(['a', 'b']);
        for (const { told, heard } of gone) expect(told.events).toHaveLength(heard);
        for (const { handle } of held) handle.release();
        await new Promise((resolve) => setTimeout(resolve, 2));
        await eventually(
          () => harness.source.openRequests === 0 && harness.cache.inventory().length === 0,
        );
      }),
      { numRuns: 200 },
    );
  });

  test('RC07 within the linger a new acquire sends no request', async () => {
    await using harness = new Harness();
    (await harness.synced()).release();
    harness.source.set('a');
    const again = await harness.synced();
    expect(namesIn(again)).toEqual(['a']);
    expect(harness.source.requests).toHaveLength(1);
    expect(harness.observer.of('linger')).toEqual(['linger reused']);
  });

  test('RC08 SI18 closing does not linger and leaves nothing behind', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const harness = new Harness();
      const [live, lingering] = [await harness.synced(), await harness.synced({ namespace: 'x' })];
      lingering.release();
      harness.source.watchScripts.push(() => failing(refused()));
      harness.acquire({ namespace: 'y' });
      await eventually(() => harness.source.requests.length === 3);
      await harness.cache.close();
      await harness.cache.close();
      expect(harness.source.openRequests).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
      expect(live.health.state).toBe('stopped');
    } finally {
      jest.useRealTimers();
    }
  });

  test('SI18 stop before start: a cache that was never used, and one closed in the same turn', async () => {
    await createInformerCache({ listerWatcher: () => new ScriptedSource() }).close();
    const harness = new Harness();
    const handle = harness.acquire();
    await harness.cache.close();
    await expect(handle.synced).rejects.toEqual(withCode('CACHE_CLOSED'));
    expect(harness.source.openRequests).toBe(0);
  });

  test('SI14 acquire, get and waitForSync on a closed cache throw with a code', async () => {
    const harness = new Harness();
    await harness.cache.close();
    expect(() => harness.acquire()).toThrow(withCode('CACHE_CLOSED'));
    expect(() => harness.cache.get(Thing, a)).toThrow(withCode('CACHE_CLOSED'));
    await expect(harness.cache.waitForSync()).rejects.toEqual(withCode('CACHE_CLOSED'));
  });

  test('RC10 a third and fourth joiner each get their snapshot; the first is not replayed', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const told = [new Told(handle), new Told(handle)];
    await eventually(() => told.every(({ registration }) => registration.hasSynced));
    harness.source.set('b');
    await harness.caughtUp(handle);
    told.push(new Told(handle), new Told(handle));
    await Promise.all(told.map(({ registration }) => registration.synced));
    expect(told.map(({ lines }) => lines)).toEqual([
      ['initial a', 'added b'],
      ['initial a', 'added b'],
      ['initial a', 'initial b'],
      ['initial a', 'initial b'],
    ]);
  });

  test('RC11 acquire returns at once while the server hangs, and another kind is not delayed', async () => {
    const [hanging, healthy] = [new ScriptedSource(), new ScriptedSource()];
    hanging.watchScripts.push(silence);
    await using cache = createInformerCache({
      listerWatcher: ({ resource }) => (resource.kind === 'Thing' ? hanging : healthy),
    });
    const stuck = cache.acquire({ resource: Thing }, { owner: 'test' });
    await cache.acquire({ resource: Other }, { owner: 'test' }).synced;
    expect(stuck.hasSynced).toBe(false);
  });

  test('RC12 a release during a replay of 10 000 objects stops it promptly', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 10_000; n++) harness.source.set(`o${n}`);
    const [keeper, leaver] = [await harness.synced(), await harness.synced()];
    const told = new Told(leaver, () => {
      if (told.events.length === 100) leaver.release();
    });
    const witness = new Told(keeper);
    await witness.registration.synced;
    expect(told.events).toHaveLength(100);
  });

  test('RC19 a kind that fails for ten minutes does not touch another', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const [failed, healthy] = [new ScriptedSource(), new ScriptedSource()];
      failed.watchScripts.push(...Array.from({ length: 1_000 }, () => () => failing(refused())));
      await using cache = createInformerCache({
        listerWatcher: ({ resource }) => (resource.plural === 'things' ? failed : healthy),
      });
      const bad = cache.acquire({ resource: Thing }, { owner: 'test' });
      const good = cache.acquire({ resource: Thing2 }, { owner: 'test' });
      await good.synced;
      for (let minute = 0; minute < 10; minute++) {
        await jest.advanceTimersByTimeAsync(60_000);
        healthy.set(`o${minute}`);
        await eventually(() => good.store.resourceVersion === healthy.version);
      }
      expect(bad.health.state).toBe('backing-off');
      expect(failed.requests.length).toBeLessThan(60);
      expect(healthy.requests.length).toBeLessThan(4);
    } finally {
      jest.useRealTimers();
    }
  });
});

/** Served by a source of its own that speaks of Things. */
const Thing2 = { ...Thing, plural: 'things2' };

describe('informer cache: identity', () => {
  test.each([
    ['selectors in another order', { labelSelector: 'a=1,b=2' }, { labelSelector: 'b==2, a=1' }],
    ['empty and absent', { labelSelector: '', fieldSelector: '', namespace: '' }, {}],
    ['retention', { retain: 'object' as const }, { retain: 'lazy' as const }],
    ['defaults', { projection: 'full' as const }, {}],
  ])('RC20 one watch for %s', async (_name, first, second) => {
    await using harness = new Harness();
    expect(harness.acquire(first).identity).toBe(harness.acquire(second).identity);
    expect(harness.cache.inventory()).toHaveLength(1);
  });

  test('RC20 different questions are different watches, all in the inventory', async () => {
    await using harness = new Harness();
    const queries = [
      {},
      { namespace: 'x' },
      { labelSelector: 'a=1' },
      { fieldSelector: 'metadata.name=a' },
      { projection: 'metadata' as const },
      { transform: { name: 't', apply: (object: Thing) => object } },
    ];
    for (const query of queries) harness.acquire(query);
    const inventory = harness.cache.inventory();
    expect(new Set(inventory.map(({ identity }) => identity)).size).toBe(queries.length);
    expect(
      inventory.map(({ query, transform }) => [query.labelSelector, transform]),
    ).toContainEqual(['a=1', undefined]);
    expect(inventory.map(({ transform }) => transform)).toContain('t');
  });

  test('the source is made for the normal form', async () => {
    const source = new ScriptedSource();
    const queries: unknown[] = [];
    await using cache = createInformerCache({
      listerWatcher: (query) => {
        queries.push(query);
        return source;
      },
    });
    const query = { resource: Thing, namespace: 'x', labelSelector: 'b=2,a in (1)' };
    await cache.acquire(query, { owner: 'test' }).synced;
    expect(queries).toEqual([
      {
        resource: Thing,
        namespace: 'x',
        labelSelector: 'a=1,b=2',
        fieldSelector: undefined,
        projection: 'full',
      },
    ]);
  });

  test.each<[string, () => unknown]>([
    ['createInformerCache.lingre', () => makeCache({ lingre: 1 })],
    ['createInformerCache.listerWatcher', () => makeCache({ listerWatcher: 'x' })],
    ['createInformerCache.linger', () => makeCache({ linger: 'soon' })],
    ['createInformerCache.parsedBytes', () => makeCache({ parsedBytes: -1 })],
    ['acquire.query.selector', () => acquire({ resource: Thing, selector: 'x' })],
    ['acquire.query.resource', () => acquire({ resource: { kind: 'Thing' } })],
    ['acquire.query.projection', () => acquire({ resource: Thing, projection: 'half' })],
    ['acquire.query.retain', () => acquire({ resource: Thing, retain: 'all' })],
    ['acquire.query.transform', () => acquire({ resource: Thing, transform: { name: '' } })],
    [
      'acquire.query.namespace',
      () => acquire({ resource: { ...Thing, namespaced: false }, namespace: 'x' }),
    ],
    ['acquire.holder.owner', () => acquire({ resource: Thing }, { owner: '' })],
    ['acquire.holder.requird', () => acquire({ resource: Thing }, { owner: 'x', requird: true })],
  ])('a wrong argument throws at once and names %s', (option, call) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});

function makeCache(options: object): InformerCache {
  const all = { listerWatcher: () => new ScriptedSource(), ...options };
  return createInformerCache(all);
}

function acquire(query: object, holder: object = { owner: 'test' }): WatchHandle {
  return makeCache({}).acquire(query as never, holder as never);
}

describe('informer cache: reads', () => {
  test('RC13 after the last release a read throws NOT_WATCHED and nothing goes over the wire', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    expect(harness.cache.get(Thing, a)).toBeUndefined();
    handle.release();
    expect(() => harness.cache.get(Thing, a)).toThrow(withCode('NOT_WATCHED'));
    expect(() => harness.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(harness.source.requests).toHaveLength(1);
  });

  test('a read before the first sync throws NOT_SYNCED and says how the watch fares', async () => {
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

  test('a read is answered by a watch that holds all it asks for', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.set('b', { namespace: 'other' });
    await harness.synced({ labelSelector: 'app=web' });
    await harness.synced({ projection: 'metadata' });
    await harness.synced({ namespace: 'default' });
    expect(harness.cache.get(Thing, a)?.metadata?.name).toBe('a');
    expect(() => harness.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(harness.cache.list(Thing, { labelSelector: 'app in (web)' })).toEqual([]);
    await harness.synced();
    expect(harness.cache.list(Thing)).toHaveLength(2);
    expect(harness.cache.list(Thing, { namespace: 'other' })).toHaveLength(1);
  });

  test('the only watch of a kind answers for the kind, however narrow', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced({ labelSelector: 'app=web', namespace: 'default' });
    expect(harness.cache.get(Thing, a)).toBeDefined();
    expect(() => harness.cache.get(Thing, { namespace: 'x', name: 'a' })).toThrow(
      withCode('NOT_WATCHED'),
    );
  });

  test('SI46 waiting for sync can be aborted, has a deadline, and names what has not synced', async () => {
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
    await harness.cache.waitForSync({ resources: [Other], timeout: '1s' });
  });

  test('waiting for sync is about required handles', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    harness.cache.acquire({ resource: Thing }, { owner: 'test', required: false });
    await harness.cache.waitForSync({ timeout: 1_000 });
    expect(harness.cache.inventory()).toMatchObject([
      { synced: false, handles: [{ owner: 'test', required: false }] },
    ]);
  });

  test('retain "object" holds while one handle asks for it', async () => {
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

  test('health changes are told until the release', async () => {
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

  test('a handle that is lost unreleased is told to the observer', async () => {
    await using harness = new Harness();
    await harness.synced();
    await collectGarbage(() => harness.observer.of('leaked').length > 0);
    expect(harness.observer.of('leaked')).toEqual(['leaked test']);
  });
});

describe('informer cache: memory', () => {
  test('RF37 one kept item does not keep the bytes of a whole list alive', async () => {
    await using harness = new Harness();
    const buffers: WeakRef<object>[] = [];
    harness.source.toFrame = (type, object) => {
      const frame = bytesFrame(type, object);
      buffers.push(new WeakRef(frame.buffer));
      return frame;
    };
    for (let n = 0; n < 50; n++) harness.source.set(`o${n}`);
    const handle = await harness.synced();
    const kept = handle.store.views()[0];
    const alive = (): number => buffers.filter((buffer) => buffer.deref() !== undefined).length;
    // The loop that reads the open stream may hold its last batch.
    await collectGarbage(() => alive() <= 2);
    expect(alive()).toBeLessThanOrEqual(2);
    expect(buffers).toHaveLength(51);
    expect(kept?.value()).toEqual(harness.source.objects[0]);
  });

  test('what is taken out and given back leaves nothing with a handle that lives on', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const lost: WeakRef<object>[] = [];
    for (let n = 0; n < 10; n++) {
      const handler = (): unknown => n;
      const registration = handle.addEventHandler(handler);
      const stream = handle.events();
      await registration.synced;
      registration.remove();
      await stream.return?.();
      lost.push(new WeakRef(handler), new WeakRef(registration), new WeakRef(stream));
    }
    const alive = (): number => lost.filter((one) => one.deref() !== undefined).length;
    // The last turn of the loop may still stand in its registers.
    await collectGarbage(() => alive() <= 3);
    expect(alive()).toBeLessThanOrEqual(3);
    expect(handle.hasSynced).toBe(true);
  });

  test('RC03 nothing of a released watch stays in memory', async () => {
    await using harness = new Harness({ linger: 0 });
    harness.source.toFrame = bytesFrame;
    harness.source.set('a');
    const view = await viewOnce(harness);
    await eventually(() => harness.source.openRequests === 0);
    await collectGarbage(() => view.deref() === undefined);
    expect(view.deref()).toBeUndefined();
  });
});

/** A view that was read in every way, of a watch that has been released. */
async function viewOnce(harness: Harness): Promise<WeakRef<object>> {
  const handle = await harness.synced();
  const view = handle.store.view(a);
  expect(view?.metadata.name).toBe('a');
  expect(view?.value()).toEqual(harness.source.objects[0]);
  handle.release();
  return new WeakRef(view ?? {});
}

describe('informer cache: event streams', () => {
  test('events() begins with the snapshot and folds what happens between two reads', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    const stream = handle.events();
    const first = await stream.next();
    expect(first.value).toMatchObject({ type: 'added', initial: true, key: 'default/a' });
    await eventually(() => true);
    harness.source.set('a', { spec: { value: 1 } });
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.set('b', { spec: { value: 1 } });
    harness.source.remove('c');
    harness.source.set('d');
    harness.source.remove('d');
    await harness.caughtUp(handle);
    const told: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { value } = await stream.next();
      told.push(`${value.type} ${value.key} ${value.object.value().spec?.value}`);
    }
    expect(told.toSorted()).toEqual(['added default/b 1', 'updated default/a 2']);
    const pending = stream.next();
    handle.release();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('events() tells a deletion and a re-creation apart, and ends with the loop or the signal', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const stream = handle.events();
    await stream.next();
    harness.source.remove('a');
    harness.source.set('a');
    await harness.caughtUp(handle);
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (types.length === 2) break;
    }
    expect(types).toEqual(['deleted', 'added']);
    const abort = new AbortController();
    const aborted = handle.events({ signal: abort.signal });
    await aborted.next();
    const waiting = aborted.next();
    abort.abort();
    expect(await waiting).toMatchObject({ done: true });
    expect(await handle.events({ signal: abort.signal }).next()).toMatchObject({ done: true });
  });
});
