import { expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { hasCode } from '@keelson/apimachinery';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { BudgetPolicy } from '../contract/informer-observer.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { Retention, WatchQuery } from '../contract/watch-query.ts';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import {
  bytesFrame,
  objectFrame,
  ScriptedSource,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

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

/** Caches with a budget that some of the states exceed. */
const policies: readonly BudgetPolicy[] = ['compress', 'metadata', 'refuse'];
const BUDGET_BYTES = 3_000;

const ACTIONS = [
  'set',
  'fill',
  'remove',
  'read',
  'retain',
  'release',
  'relist',
  'rest',
  'turn',
] as const;
type Action = (typeof ACTIONS)[number];

class Model implements AsyncDisposable {
  readonly source: ScriptedSource = new ScriptedSource();
  readonly caches: InformerCache[] = [];
  readonly handles = new Map<string, WatchHandle<Thing>>();
  readonly limited = new Map<BudgetPolicy, InformerCache>();
  /** Outcomes of the policies, to show that they occur. */
  readonly outcomes = new Set<string>();
  readonly #others: WatchHandle<Thing>[] = [];
  #leapt = 0;
  #switching: InformerCache | undefined;

  constructor(isBytes: boolean) {
    this.source.toFrame = isBytes ? bytesFrame : objectFrame;
    for (const [name, query] of Object.entries(kept)) {
      const cache = this.#cache();
      if (name === 'switching') this.#switching = cache;
      this.handles.set(name, cache.acquire({ resource: Thing, ...query }, { owner: name }));
    }
    for (const policy of policies) {
      const cache = this.#cache({ memoryBudget: { bytes: BUDGET_BYTES, policy } });
      this.limited.set(policy, cache);
      cache.acquire({ resource: Thing }, { owner: policy });
    }
  }

  readonly actions: Readonly<Record<Action, (n: number) => void | Promise<void>>> = {
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

  /** A cache with a budget serves what the others do, or throws: never another state or half an object. */
  expectLimited(): void {
    const whole = new Map(this.source.objects.map((object) => [object.metadata?.name, object]));
    for (const [policy, cache] of this.limited) {
      const [watch] = cache.inventory();
      const outcome = `${policy} ${watch?.health.state} ${watch?.retain}`;
      this.outcomes.add(outcome);
      if (watch?.health.state === 'over-budget') {
        expect(() => cache.list(Thing)).toThrow(withCode('NOT_SYNCED'));
        continue;
      }
      const heads = cache.list(Thing, { projection: 'metadata' });
      expect([outcome, heads.length]).toEqual([outcome, whole.size]);
      for (const { metadata } of heads) {
        const found = bodyOf(cache, metadata.name);
        const { spec, ...head } = whole.get(metadata.name) ?? {};
        expect(head.metadata).toEqual(metadata);
        if (found !== NOT_KEPT) expect(found).toEqual({ ...head, spec });
        if (policy !== 'metadata') expect(found).not.toBe(NOT_KEPT);
      }
    }
  }

  #cache(options: Partial<InformerCacheOptions> = {}): InformerCache {
    const cache = createInformerCache({
      listerWatcher: () => this.source,
      freeze: true,
      random: () => 1,
      now: () => performance.now() + this.#leapt,
      ...options,
    });
    this.caches.push(cache);
    return cache;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.caches.map((cache) => cache.close()));
  }

  #set(n: number): void {
    const labels = { app: `app-${n % 3}` };
    const spec = { value: n % 9, node: 'x'.repeat(n % 4 === 0 ? 900 : 1) };
    this.source.set(names[n % 5] ?? 'a', { metadata: { labels }, spec });
  }
}

const NOT_KEPT = Symbol('not kept');

function bodyOf(cache: InformerCache, name: string): unknown {
  try {
    return cache.get(Thing, { namespace: 'default', name });
  } catch (error) {
    if (hasCode(error, 'BODY_NOT_KEPT')) return NOT_KEPT;
    throw error;
  }
}

function byName(one: { metadata?: unknown }, other: { metadata?: unknown }): number {
  return byText(one.metadata, other.metadata);
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

const step = fc.record({
  does: fc.constantFrom(...ACTIONS, 'set', 'set', 'rest'),
  n: fc.nat(1_000),
});

test('any changes, relists and switches: stores of every retention and budget have the same objects', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40 }), async (isBytes, steps) => {
      jest.clearAllTimers();
      await using model = new Model(isBytes);
      await pass(0);
      for (const { does, n } of steps) await model.actions[does](n);
      await model.settle();
      model.expectEqual();
      model.expectLimited();
      for (const outcome of model.outcomes) outcomes.add(outcome);
    }),
    { numRuns: Math.ceil(100 * multiple) },
  );
  const met = [...outcomes].toSorted(byText);
  const possible = [
    'compress live compressed',
    'compress live lazy',
    'metadata live lazy',
    'metadata live metadata',
    'refuse live lazy',
    'refuse over-budget lazy',
  ];
  // A sample of the runs may miss some.
  expect(possible).toEqual(multiple < 1 ? expect.arrayContaining(met) : met);
});

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
  await Promise.all(Array.from(model.limited.values(), (cache) => cache.close()));
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
