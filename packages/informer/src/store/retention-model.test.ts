import { expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { Retention, WatchQuery } from '../contract/watch-query.ts';
import { Harness } from '../testing/harness.test-support.ts';
import {
  bytesFrame,
  objectFrame,
  ScriptedSource,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const names = ['a', 'b', 'c', 'd', 'e'] as const;
const byValue = {
  name: 'value',
  body: ({ spec }: { spec?: { value?: number } }) => [String(spec?.value)],
};
const cut = {
  name: 'cut',
  apply: ({ spec, ...rest }: Thing) => ({ ...rest, ...(spec && { spec }) }),
};

/** One cache for each way to keep the objects of the same source. */
const kept: Readonly<Record<string, Partial<WatchQuery<Thing>>>> = {
  lazy: {},
  object: { retain: 'object' },
  compressed: { retain: 'compressed' },
  indexed: { retain: 'compressed', indexers: [byValue] },
  transformed: { retain: 'compressed', transform: cut },
  switching: { retain: 'compressed' },
  metadata: { retain: 'metadata' },
};

class Model implements AsyncDisposable {
  readonly source: ScriptedSource = new ScriptedSource();
  readonly caches: InformerCache[] = [];
  readonly handles = new Map<string, WatchHandle<Thing>>();
  readonly #others: WatchHandle<Thing>[] = [];
  #leapt = 0;
  #switching: InformerCache | undefined;

  constructor(isBytes: boolean) {
    this.source.toFrame = isBytes ? bytesFrame : objectFrame;
    for (const [name, query] of Object.entries(kept)) {
      const cache = createInformerCache({
        listerWatcher: () => this.source,
        freeze: true,
        random: () => 1,
        now: () => performance.now() + this.#leapt,
      });
      this.caches.push(cache);
      if (name === 'switching') this.#switching = cache;
      this.handles.set(name, cache.acquire({ resource: Thing, ...query }, { owner: name }));
    }
  }

  readonly actions: Readonly<Record<string, (n: number) => void | Promise<void>>> = {
    set: (n) => this.#set(n),
    fill: (n) => {
      for (let at = 0; at < 5; at++) this.#set(n + at);
    },
    remove: (n) => {
      const name = names[n % 5] ?? 'a';
      if (this.source.objects.some(({ metadata }) => metadata?.name === name)) {
        this.source.remove(name);
      }
    },
    read: (n) => {
      for (const handle of this.handles.values()) {
        handle.store.get({ namespace: 'default', name: names[n % 5] ?? 'a' });
      }
    },
    retain: (n) => {
      const retain = (['object', 'lazy', 'compressed', 'metadata'] as const)[n % 4];
      const query = { resource: Thing, retain: retain as Retention } as WatchQuery<Thing>;
      const handle = this.#switching?.acquire(query, { owner: 'other' });
      if (handle !== undefined) this.#others.push(handle);
    },
    release: () => this.#others.pop()?.release(),
    relist: () => {
      this.#leapt += 20_000;
      this.source.cut();
      this.source.compact();
    },
    rest: () => pass(1_000),
    turn: () => pass(0),
  };

  async settle(): Promise<void> {
    this.source.set('last', { spec: { value: 7 } });
    for (let round = 0; round < 5; round++) {
      this.source.bookmark();
      await pass(60_000);
    }
  }

  expectEqual(): void {
    const truth = this.source.objects.toSorted(byName);
    for (const [name, { store }] of this.handles) {
      const found = store.list().toSorted(byName);
      const expected = truth.map(({ spec, ...rest }) =>
        name === 'metadata' || spec === undefined ? rest : { ...rest, spec },
      );
      expect([name, found]).toEqual([name, name === 'metadata' ? found : expected]);
      const heads = store.views().map(({ metadata }) => metadata);
      expect(heads.toSorted(byText)).toEqual(
        truth.map(({ metadata }) => metadata).toSorted(byText),
      );
      for (const { metadata } of truth) {
        const one = { namespace: 'default', name: metadata?.name ?? '' };
        expect(store.get(one)?.metadata).toEqual(metadata);
      }
    }
    const index = { name: 'value', value: '7' };
    const sevens = truth.filter(({ spec }) => spec?.value === 7);
    expect(this.handles.get('indexed')?.store.list({ index })).toHaveLength(sevens.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.caches.map((cache) => cache.close()));
  }

  #set(n: number): void {
    const labels = { app: `app-${n % 3}` };
    this.source.set(names[n % 5] ?? 'a', { metadata: { labels }, spec: { value: n % 9 } });
  }
}

function byName(one: { metadata?: unknown }, other: { metadata?: unknown }): number {
  return byText(one.metadata, other.metadata);
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

const step = fc.record({
  does: fc.constantFrom(...Object.keys(new Model(true).actions), 'set', 'set', 'rest'),
  n: fc.nat(1_000),
});

test('any changes, relists and switches: stores of every retention have the same objects', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40 }), async (isBytes, steps) => {
      jest.clearAllTimers();
      await using model = new Model(isBytes);
      await pass(0);
      for (const { does, n } of steps) await model.actions[does]?.(n);
      await model.settle();
      model.expectEqual();
    }),
    { numRuns: 60 },
  );
}, 120_000);

test('objects of every form are read after they were compressed, and freed with the watch', async () => {
  await using model = new Model(true);
  await pass(0);
  model.source.set('a', { metadata: { labels: { app: 'x' } }, spec: { value: 7 } });
  await pass(1_000);
  await model.settle();
  model.expectEqual();
  const bytes = [...model.handles.values()].map(({ store }) => store.bytes);
  const [lazy = 0, object, compressed = 0] = bytes;
  expect(object).toBe(0);
  expect(compressed).toBeGreaterThan(0);
  expect(compressed).toBeLessThan(lazy);
  for (const handle of model.handles.values()) handle.release();
  await pass(10_000);
  expect(model.caches.flatMap((cache) => cache.inventory())).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

test('an object that JSON does not have stays as the transform returned it', async () => {
  await using harness = new Harness();
  harness.source.toFrame = bytesFrame;
  const cycle = {
    name: 'cycle',
    apply: (thing: Thing): Thing => Object.assign(thing, { self: thing }),
  };
  const handle = await harness.synced({ retain: 'compressed', transform: cycle });
  harness.source.set('a', { spec: { value: 1 } });
  await harness.caughtUp(handle);
  expect(handle.store.bytes).toBe(0);
  expect(handle.store.list()).toMatchObject([{ spec: { value: 1 } }]);
});
