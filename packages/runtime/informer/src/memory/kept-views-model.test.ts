import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { DeepReadonly, Persisted } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { keepViews, type InformerEvent, type StreamEvent } from '../contract/informer-event.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { bytesFrame, ScriptedSource, Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { SlabPool } from './slab-pool.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

stopTheClock();

/** Enough bytes that the stores use slabs of the size that the pool reuses. */
const OBJECTS = 60;
const FILLER = 'x'.repeat(25_000);

const doubled = {
  name: 'doubled',
  apply: ({ spec, ...rest }: Thing): Thing => ({ ...rest, spec: { ...spec, value: 2 } }),
};

const queries: Readonly<Record<string, Partial<WatchQuery<Thing>>>> = {
  lazy: {},
  compressed: { retain: 'compressed' },
  transformed: { retain: 'compressed', transform: doubled },
  parsed: { retain: 'object' },
};

/** How often pools have handed out memory again. */
let reused = 0;

// Fills the memory that a pool hands out, so that no view reads the bytes of its object there by chance.
beforeEach(() => {
  const seen = new WeakSet<Buffer>();
  const take = Reflect.get(SlabPool.prototype, 'take');
  reused = 0;
  jest.spyOn(SlabPool.prototype, 'take').mockImplementation(function (this: SlabPool, size) {
    const memory = take.call(this, size);
    if (seen.has(memory)) reused += 1;
    seen.add(memory);
    return memory.fill('?');
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** A cache with one handle for each query, and the views that user code has kept. */
class Model implements AsyncDisposable {
  readonly source: ScriptedSource = new ScriptedSource();
  readonly #cache: InformerCache;
  readonly #handles: WatchHandle<Thing>[];
  readonly #streams: AsyncIterator<StreamEvent<Thing>>[];
  readonly #lists: Promise<unknown>[] = [];
  readonly #kept: ObjectView<Thing>[] = [];
  /** The text of each version. */
  readonly #texts = new Map<string, string>();
  readonly #errors: unknown[] = [];
  readonly #keepsAll: boolean;
  #leapt = 0;

  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll;
    this.source.toFrame = bytesFrame;
    for (let n = 0; n < OBJECTS; n++) this.#set(n);
    this.#cache = createInformerCache({
      listerWatcher: () => this.source,
      // Without parsed bodies, each read needs the bytes.
      parsedBytes: 1,
      random: () => 1,
      // The clock advances with each reading, so that lists are read in many slices.
      now: () => performance.now() + (this.#leapt += 1),
      observer: { handlerError: (_watch, _owner, error) => this.#errors.push(error) },
    });
    this.#handles = Object.entries(queries).map(([owner, query]) =>
      this.#cache.acquire({ resource: Thing, ...query, sharing: 'exact' }, { owner }),
    );
    this.#streams = keepsAll ? this.#handles.map((handle) => handle.events()) : [];
    for (const handle of this.#handles) this.#handle(handle);
  }

  readonly actions: Readonly<Record<string, (n: number) => void | Promise<void>>> = {
    set: (n) => this.#set(n % OBJECTS),
    fill: (n) => {
      for (let at = 0; at < 20; at++) this.#set((n + at) % OBJECTS);
    },
    remove: (n) => {
      const name = `o${n % OBJECTS}`;
      const found = this.source.objects.find(({ metadata }) => metadata?.name === name);
      if (found === undefined) return;
      this.source.remove(name);
      this.#texts.set(this.source.version, found.spec?.node ?? '');
    },
    view: (n) => {
      for (const { store } of this.#handles) {
        const view = store.view({ namespace: 'default', name: `o${n % OBJECTS}` });
        if (view !== undefined) this.#kept.push(view);
      }
    },
    views: () => {
      for (const { store } of this.#handles) this.#kept.push(...store.views().slice(0, 3));
    },
    list: () => {
      for (const { store } of this.#handles) this.#lists.push(this.#expectList(store.listAsync()));
      this.#lists.push(this.#expectList(this.#cache.listAsync(Thing)));
    },
    next: async () => {
      for (const stream of this.#streams) {
        const { value } = (await stream.next()) as { value: StreamEvent<Thing> };
        if (value.type !== 'initialDone') this.#keep(value);
      }
    },
    relist: () => {
      this.#leapt += 20_000;
      this.source.cut();
      this.source.compact();
    },
    rest: () => pass(1_000),
    turn: () => pass(0),
    collect: () => {
      let turns = 0;
      return collectGarbage(() => ++turns > 20);
    },
  };

  async synced(): Promise<void> {
    while (!this.#handles.every(({ hasSynced }) => hasSynced)) await pass(0);
  }

  /** Replaces all objects, and reads every view that was kept. */
  async expectKept(): Promise<void> {
    for (let n = 0; n < 2 * OBJECTS; n++) this.#set(n % OBJECTS);
    await pass(60_000);
    await Promise.all(this.#lists);
    for (const view of this.#kept) this.#expectWhole(view);
    expect(this.#errors).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cache.close();
  }

  /** One handler keeps views of all events, or none does. The other one keeps those of every tenth event. */
  #handle(handle: WatchHandle<Thing>): void {
    if (this.#keepsAll) handle.addEventHandler((event) => this.#keep(event));
    let count = 0;
    const reads = (event: InformerEvent<Thing>): void => {
      // A former state that was read keeps its parsed body, and needs no bytes later. So most of them are not read.
      count += 1;
      if (count % 4 === 0) this.#expectWhole(event.object);
      if (count % 4 === 1 && event.type === 'updated') this.#expectWhole(event.previous);
      if (count % 10 > 0) return;
      keepViews(event);
      this.#keep(event);
    };
    handle.addEventHandler(reads, { keepsViews: false });
  }

  #keep(event: InformerEvent<Thing>): void {
    this.#kept.push(event.object);
    if (event.type === 'updated') this.#kept.push(event.previous);
  }

  #set(n: number): void {
    const node = `${n} ${this.source.version} ${FILLER}`;
    this.source.set(`o${n}`, { spec: { value: 1, node } });
    this.#texts.set(this.source.version, node);
  }

  /** Compares a view with the object that the source had at its version. */
  #expectWhole(view: ObjectView<Thing>): void {
    const { metadata, spec } = view.value();
    expect(view.metadata.resourceVersion).toBe(view.resourceVersion);
    expect(metadata.name).toBe(view.name);
    expect(spec?.node).toBe(this.#texts.get(view.resourceVersion));
  }

  async #expectList(list: Promise<readonly DeepReadonly<Persisted<Thing>>[]>): Promise<void> {
    for (const { metadata, spec } of await list) {
      expect(spec?.node).toBe(this.#texts.get(metadata.resourceVersion));
    }
  }
}

const actions = 'set fill fill remove view views list next relist rest turn collect'.split(' ');
const step = fc.record({
  does: fc.constantFrom(...actions),
  n: fc.nat(1_000),
});

test('any changes, reads and collections: a view that user code keeps never changes, and other memory is reused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }),
      async (keepsAll, steps) => {
        jest.clearAllTimers();
        await using model = new Model(keepsAll);
        await model.synced();
        for (const { does, n } of steps) await model.actions[does]?.(n);
        await model.expectKept();
      },
    ),
    { numRuns: Math.ceil(20 * multiple) },
  );
});

test('memory is reused without a collection if no view was kept', async () => {
  await using model = new Model(false);
  await model.synced();
  reused = 0;
  for (let round = 0; round < 10; round++) {
    await model.actions['fill']?.(round * 7);
    await model.actions['turn']?.(0);
  }
  expect(reused).toBeGreaterThan(0);
  await model.expectKept();
});
