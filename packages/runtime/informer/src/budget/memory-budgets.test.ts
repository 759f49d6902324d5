import { describe, expect, test } from '@jest/globals';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { defineIndex } from '../contract/indexer.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { RecordingHandler, withCode } from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  Other,
  ScriptedSource,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const node = 'x'.repeat(1_000);
const byNode = defineIndex(Thing, 'node', ({ spec }) => [spec?.node ?? '']);
const REVIEW_MS = 10_000;

/** A cache with a budget, over one source of Things and one of Others. */
class Setup implements AsyncDisposable {
  readonly things: ScriptedSource = new ScriptedSource();
  readonly others: ScriptedSource = new ScriptedSource();
  readonly cache: InformerCache;
  readonly changes: string[] = [];
  #leapt = 0;

  constructor(memoryBudget: MemoryBudget, options: Partial<InformerCacheOptions> = {}) {
    this.things.toFrame = bytesFrame;
    this.others.toFrame = (type, object) =>
      bytesFrame(type, { ...(object as Thing), kind: 'Other' });
    this.cache = createInformerCache({
      listerWatcher: ({ resource }) => (resource.kind === 'Thing' ? this.things : this.others),
      memoryBudget,
      freeze: true,
      linger: 0,
      random: () => 1,
      now: () => performance.now() + this.#leapt,
      observer: {
        memoryBudgetChanged: ({ change, budget, watch }) =>
          this.changes.push(`${change} ${watch?.query.resource.kind ?? '-'} by ${budget}`),
      },
      ...options,
    });
  }

  acquire(query: Partial<WatchQuery<Thing>> = {}): WatchHandle<Thing> {
    return this.cache.acquire({ resource: Thing, ...query }, { owner: 'test' });
  }

  async synced(query: Partial<WatchQuery<Thing>> = {}): Promise<WatchHandle<Thing>> {
    const handle = this.acquire(query);
    await pass(0);
    return handle;
  }

  /** Creates or changes Things of about 1.2 KB. */
  set(count: number, value = 0): void {
    for (let n = 0; n < count; n++) this.things.set(`o${n}`, { spec: { value, node } });
  }

  remove(from: number, to: number): void {
    for (let n = from; n < to; n++) this.things.remove(`o${n}`);
  }

  get used(): number {
    return this.cache.memory().budgets[0]?.used ?? 0;
  }

  get states(): string[] {
    return this.cache.inventory().map(({ health }) => health.state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }
}

function named(name: string): { namespace: string; name: string } {
  return { namespace: 'default', name };
}

describe('a memory budget', () => {
  test('counts the objects of all watches, or of one kind', async () => {
    await using setup = new Setup({
      bytes: 1_000_000,
      policy: 'refuse',
      kinds: [{ resource: Other, bytes: 5_000, policy: 'metadata' }],
    });
    setup.set(10);
    await setup.synced();
    await setup.synced({ resource: Other, retain: 'object' });
    const [all, others] = setup.cache.memory().budgets;
    const { bytes = 0 } = setup.cache.inventory()[0] ?? {};
    expect(all).toEqual({ budget: 'all', policy: 'refuse', bytes: 1_000_000, used: bytes + 3_000 });
    expect(others).toEqual({
      budget: 'example.com/v1/others',
      policy: 'metadata',
      bytes: 5_000,
      used: 0,
    });
    setup.others.set('big', { spec: { node } });
    await pass(0);
    const { used = 0 } = setup.cache.memory().budgets[1] ?? {};
    expect(used).toBeGreaterThan(1_500);
    setup.others.remove('big');
    await pass(0);
    expect(setup.cache.memory().budgets[1]?.used).toBe(0);
    expect(setup.changes).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['no limit', {}, 'memoryBudget'],
    ['no bytes', { bytes: 0 }, 'memoryBudget.bytes'],
    ['an unknown policy', { bytes: 1, policy: 'drop' }, 'memoryBudget.policy'],
    ['an unknown member', { bytes: 1, limit: 2 }, 'limit'],
    ['a kind without a limit', { kinds: [{ resource: Thing }] }, 'memoryBudget.kinds[0].bytes'],
    ['no list of kinds', { kinds: Thing }, 'memoryBudget.kinds'],
    ['a kind that is a text', { kinds: [{ resource: 'Thing', bytes: 1 }] }, 'kinds[0].resource'],
    [
      'a kind twice',
      { kinds: [1, 2].map((bytes) => ({ resource: Thing, bytes })) },
      'kinds[1].resource',
    ],
  ])('with %s is refused', (_name, budget, option) => {
    const create = (): unknown => new Setup(budget as MemoryBudget);
    expect(create).toThrow(withCode('INVALID_OPTION'));
    expect(create).toThrow(option);
  });
});

test('the error of a kind with two budgets names the kind', () => {
  const kinds = [1, 2].map((bytes) => ({ resource: Thing, bytes }));
  expect(() => new Setup({ kinds })).toThrow('resource=example.com/v1/things');
});

describe('the policy "compress"', () => {
  test('compresses the largest watch, and ends when there is room again', async () => {
    await using setup = new Setup({ bytes: 40_000, policy: 'compress' });
    setup.others.set('one', { spec: { node } });
    setup.cache.acquire({ resource: Other }, { owner: 'test' });
    const handle = await setup.synced();
    setup.set(20);
    await pass(0);
    expect(setup.changes).toEqual([]);
    setup.set(60);
    await pass(1_000);
    expect(setup.changes).toEqual(['limited Thing by all']);
    const retains = setup.cache.inventory().map(({ retain }) => retain);
    expect(retains).toEqual(['lazy', 'compressed']);
    expect(setup.used).toBeLessThan(40_000);
    expect(handle.store.get(named('o7'))?.spec?.node).toBe(node);
    await pass(REVIEW_MS);
    expect(setup.changes).toHaveLength(1);
    setup.remove(10, 60);
    await pass(REVIEW_MS);
    expect(setup.changes).toEqual(['limited Thing by all', 'lifted Thing by all']);
    expect(setup.cache.inventory()[1]).toMatchObject({ retain: 'lazy' });
  });

  test('reports once that nothing is left to compress, and when the use has fallen', async () => {
    await using setup = new Setup({ bytes: 10_000 });
    const handle = await setup.synced({ retain: 'compressed' });
    setup.set(60);
    await pass(REVIEW_MS);
    await pass(REVIEW_MS);
    expect(setup.changes).toEqual(['exceeded - by all']);
    expect(handle.store.size).toBe(60);
    setup.remove(5, 60);
    await pass(REVIEW_MS);
    expect(setup.changes).toEqual(['exceeded - by all', 'within - by all']);
  });
});

describe('the policy "metadata"', () => {
  const budget = { kinds: [{ resource: Thing, bytes: 40_000, policy: 'metadata' }] } as const;

  test('keeps the metadata only; a read of a body throws an error that names the budget', async () => {
    await using setup = new Setup(budget);
    const handle = await setup.synced();
    const recorded = new RecordingHandler(handle);
    setup.set(60);
    await pass(2_000);
    expect(setup.changes).toEqual(['limited Thing by example.com/v1/things']);
    expect(setup.cache.inventory()).toMatchObject([{ retain: 'metadata', objects: 60 }]);
    expect(setup.used).toBeLessThan(30_000);
    const facts = {
      kind: 'Thing',
      key: 'default/o7',
      budget: 'example.com/v1/things',
      bytes: 40_000,
    };
    const notKept: unknown = expect.objectContaining({ code: 'BODY_NOT_KEPT', facts });
    expect(() => handle.store.get(named('o7'))).toThrow(notKept);
    expect(() => handle.store.list()).toThrow(withCode('BODY_NOT_KEPT'));
    expect(() => setup.cache.list(Thing)).toThrow(withCode('BODY_NOT_KEPT'));
    expect(() =>
      setup.cache.list(Thing, { namespace: 'default', fieldSelector: 'spec.node=a' }),
    ).toThrow(withCode('BODY_NOT_KEPT'));
    const metadata = expect.objectContaining({ name: 'o7', uid: 'uid-8' });
    expect(handle.store.view(named('o7'))?.metadata).toEqual(metadata);
    expect(setup.cache.list(Thing, { projection: 'metadata' })).toHaveLength(60);
    setup.things.set('new', { spec: { node } });
    await pass(0);
    const { object } = recorded.events.at(-1) ?? {};
    expect(object?.metadata.name).toBe('new');
    expect(() => object?.value()).toThrow(withCode('BODY_NOT_KEPT'));
  });

  test('lists again for the bodies when there is room, without an event', async () => {
    await using setup = new Setup(budget);
    const handle = await setup.synced();
    setup.set(60);
    await pass(2_000);
    const recorded = new RecordingHandler(handle);
    await pass(0);
    setup.remove(10, 60);
    await pass(0);
    recorded.events.length = 0;
    await pass(REVIEW_MS);
    await pass(0);
    expect(setup.changes.at(-1)).toBe('lifted Thing by example.com/v1/things');
    expect(handle.store.list().map(({ spec }) => spec)).toEqual(
      Array.from({ length: 10 }, () => ({ value: 0, node })),
    );
    expect(recorded.lines).toEqual([]);
    expect(setup.cache.inventory()).toMatchObject([{ retain: 'lazy' }]);
  });

  test('does not limit a watch with an index over bodies', async () => {
    await using setup = new Setup(budget);
    const handle = await setup.synced({ indexers: [byNode] });
    setup.set(60);
    await pass(2_000);
    expect(setup.changes).toEqual(['exceeded - by example.com/v1/things']);
    expect(handle.store.list({ index: { name: 'node', value: node } })).toHaveLength(60);
  });

  test('ends for an index over bodies, which is complete when they are back', async () => {
    const errors: unknown[] = [];
    const observer = { indexerError: (...of: unknown[]) => void errors.push(of) };
    await using setup = new Setup(budget, { observer });
    const limited = await setup.synced();
    setup.set(60);
    await pass(2_000);
    expect(setup.cache.inventory()).toMatchObject([{ retain: 'metadata' }]);
    const selection = { index: { name: 'node', value: node } };
    const later = setup.acquire({ indexers: [byNode] });
    const { built } = limited.addIndexer(byNode);
    expect(() => later.store.list(selection)).toThrow(withCode('BODY_NOT_KEPT'));
    expect(() => setup.cache.indexValues(byNode)).toThrow(withCode('BODY_NOT_KEPT'));
    expect(later.store.has(named('o7'))).toBe(true);
    await pass(0);
    await built;
    expect(later.store.list(selection)).toHaveLength(60);
    expect(setup.cache.inventory()).toMatchObject([{ retain: 'lazy', objects: 60 }]);
    await pass(REVIEW_MS);
    expect([later.store.list(selection).length, errors]).toEqual([60, []]);
    later.release();
    limited.release();
  });

  test('keeps managedFields in the metadata if the cache keeps them', async () => {
    await using setup = new Setup(budget, { keepManagedFields: true });
    const managedFields = [{ manager: 'kubectl' }];
    await setup.synced();
    setup.things.set('a', { metadata: { managedFields }, spec: { node } });
    setup.set(60);
    await pass(2_000);
    const read = setup.cache.get(Thing, a, { projection: 'metadata' });
    expect(read?.metadata.managedFields).toEqual(managedFields);
  });
});

describe('the policy "refuse"', () => {
  const budget = { bytes: 40_000, policy: 'refuse' } as const;

  test('takes no list that exceeds the budget: the watch is over budget until there is room', async () => {
    await using setup = new Setup(budget);
    setup.set(60);
    const handle = await setup.synced();
    expect(setup.states).toEqual(['over-budget']);
    expect(handle.hasSynced).toBe(false);
    expect(handle.health).toMatchObject({
      reason: 'the memory budget is used up',
      lastError: { code: 'MEMORY_BUDGET_EXCEEDED', facts: { budget: 'all', bytes: 40_000 } },
    });
    expect(() => setup.cache.list(Thing)).toThrow(withCode('NOT_SYNCED'));
    expect(() => setup.cache.list(Thing)).toThrow(/over-budget/);
    const { length } = setup.things.requests;
    await pass(5 * 60_000);
    expect(setup.things.requests).toHaveLength(length);
    setup.remove(20, 60);
    await pass(10 * 60_000);
    await pass(0);
    expect(setup.states).toEqual(['live']);
    expect(setup.cache.list(Thing)).toHaveLength(20);
    expect(setup.changes).toEqual(['limited Thing by all']);
  });

  test('takes no change that exceeds the budget, and continues where it stopped', async () => {
    await using setup = new Setup(budget);
    setup.set(20);
    const handle = await setup.synced();
    expect(setup.states).toEqual(['live']);
    const recorded = new RecordingHandler(handle);
    await pass(0);
    recorded.events.length = 0;
    setup.set(40, 1);
    await pass(0);
    expect(setup.states).toEqual(['over-budget']);
    expect(() => setup.cache.get(Thing, a)).toThrow(withCode('NOT_SYNCED'));
    setup.remove(0, 20);
    await pass(10 * 60_000);
    await pass(0);
    expect(setup.states).toEqual(['live']);
    expect(setup.cache.list(Thing)).toHaveLength(20);
    expect(recorded.lines.filter((line) => line === 'added o25')).toHaveLength(1);
  });

  test('does not list again while an object does not fit that is large for the budget', async () => {
    await using setup = new Setup(budget);
    for (const name of ['a', 'b']) setup.things.set(name, { spec: { node: 'x'.repeat(30_000) } });
    await setup.synced();
    expect(setup.states).toEqual(['over-budget']);
    const { length } = setup.things.requests;
    await pass(REVIEW_MS);
    expect(setup.things.requests).toHaveLength(length);
    expect(setup.changes).toEqual(['limited Thing by all']);
  });

  test('wakes a watch when another one has made room', async () => {
    await using setup = new Setup(budget);
    setup.others.set('one', { spec: { node: 'x'.repeat(30_000) } });
    const other = setup.cache.acquire({ resource: Other }, { owner: 'other' });
    await pass(0);
    setup.set(12);
    await setup.synced();
    expect(setup.states).toEqual(['live', 'over-budget']);
    other.release();
    await pass(REVIEW_MS);
    await pass(0);
    expect(setup.states).toEqual(['live']);
    expect(setup.changes).toEqual(['limited Thing by all', 'lifted Thing by all']);
    expect(setup.cache.list(Thing)).toHaveLength(12);
  });
});
