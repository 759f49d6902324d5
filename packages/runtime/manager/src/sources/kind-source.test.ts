import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { ObjectView } from '@keelson/informer';
import { labelsMatch } from './event-rules/event-predicates.ts';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
  type Predicate,
} from './event-rules/predicate.ts';
import { FakeCache, viewOf } from '../testing/fake-cache.test-support.ts';
import { objectOf, toSelf } from '../testing/fixtures.test-support.ts';
import { KindSource, type WatchProvider } from './kind-source.ts';
import { mapObjects } from './request-mapper.ts';
import { resolvePriorities } from './event-rules/request-priorities.ts';
import { SyncRetries } from './event-rules/sync-retries.ts';
import { UserCode } from '../user-code/user-code.ts';

const { Secret } = builtin;

type Source = KindSource<{ name: string }>;

function sourceOf(
  given: Partial<ConstructorParameters<typeof KindSource<{ name: string }>>[0]> = {},
): { source: Source; queued: string[] } {
  const queued: string[] = [];
  const source = new KindSource<{ name: string }>({
    name: 'watch Secret',
    owner: 'test',
    options: { resource: Secret },
    required: true,
    priorities: resolvePriorities(),
    resync: 0,
    mapper: mapObjects(toSelf),
    sink: {
      enqueue: ({ name }) => void queued.push(name),
      keyOf: ({ name }) => name,
      forget() {},
      sourceError() {},
      eventHandled() {},
    },
    userCode: new UserCode(),
    context: { cache: {}, clusters: {} } as never,
    retries: new SyncRetries(),
    ...given,
  });
  return { source, queued };
}

/** The number of views of an update that a source keeps readable, because user code received them. */
function keptViews({ source }: { readonly source: Source }): number {
  let kept = 0;
  const viewAt = (resourceVersion: string): ObjectView => {
    const view = viewOf(objectOf(Secret, 'a', { resourceVersion }));
    return Object.assign(view, { shown: () => (kept += 1) });
  };
  const [previous, object] = [viewAt('1'), viewAt('2')];
  source.onEvent({ type: 'updated', key: 'default/a', previous, object, receivedAt: 0 });
  return kept;
}

describe('a kind as a source', () => {
  test('RC15 a detached source opens no watch after a late start', () => {
    const cache = new FakeCache();
    const { source } = sourceOf();
    source.detach();
    source.open(cache);
    expect(cache.acquired).toEqual([]);
  });

  test('RC16 an event that arrives after detach is dropped', () => {
    const cache = new FakeCache();
    const { source, queued } = sourceOf();
    source.open(deaf(cache));
    cache.set(Secret, objectOf(Secret, 'before'));
    source.detach();
    cache.set(Secret, objectOf(Secret, 'after'));
    expect(queued).toEqual(['before']);
  });

  test('RC18 a source is settled if its kind is forbidden from the start, or if it is not open', async () => {
    const cache = new FakeCache();
    cache.syncsAtOnce = false;
    const { source } = sourceOf();
    await source.settled();
    source.open(cache);
    cache.setHealth(Secret, 'forbidden', 'no');
    await source.settled();
    expect(source.hasSynced).toBe(false);
  });
});

describe('the views of an event', () => {
  const userCode = new UserCode();
  const context = { cache: {}, clusters: {} } as never;
  const predicates = (...given: readonly Predicate[]): object => ({
    options: { resource: Secret, predicates: given },
  });

  test('are kept readable if a predicate or a mapper of the user receives them', () => {
    expect(keptViews(sourceOf(predicates(() => true)))).toBe(2);
    expect(keptViews(sourceOf(predicates(generationChanged, () => false)))).toBe(2);
    expect(keptViews(sourceOf({ sharedPredicates: [() => false] }))).toBe(2);
    const mapper = mapObjects(toSelf, { userCode, context });
    expect(keptViews(sourceOf({ mapper }))).toBe(2);
    const { source } = sourceOf();
    source.replace(undefined, [() => true]);
    expect(keptViews({ source })).toBe(2);
  });

  test('are not kept if only functions of Keelson receive them', () => {
    const own = [generationChanged, labelsChanged, annotationsChanged, resourceVersionChanged];
    expect(keptViews(sourceOf(predicates(...own)))).toBe(0);
    const labelled = labelsMatch('app=web');
    expect(keptViews(sourceOf(predicates(or(...own, not(labelled)), and(labelled))))).toBe(0);
    expect(keptViews(sourceOf(predicates(or(labelled, () => true))))).toBe(2);
    expect(keptViews(sourceOf())).toBe(0);
  });

  test('need not be kept by the cache itself', () => {
    const cache = new FakeCache();
    const options: unknown[] = [];
    const acquire = cache.acquire.bind(cache);
    cache.acquire = (query, of) => {
      const handle = acquire(query, of);
      const listen = handle.addEventHandler.bind(handle);
      handle.addEventHandler = (handler, given) => (options.push(given), listen(handler, given));
      return handle;
    };
    sourceOf().source.open(cache);
    expect(options).toEqual([{ resync: 0, keepsViews: false }]);
  });
});

/** The same cache, but removed handlers still receive events. */
function deaf(cache: FakeCache): WatchProvider {
  return {
    acquire(query, options) {
      const handle = cache.acquire(query, options);
      const listen = handle.addEventHandler.bind(handle);
      handle.addEventHandler = (handler) => ({ ...listen(handler), remove() {} });
      return handle;
    },
  };
}
