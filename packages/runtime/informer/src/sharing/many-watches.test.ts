import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createInformerCache } from '../cache/informer-cache.ts';
import { Coverage } from '../contract/coverage.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { Overlay } from '../overlay/overlay.ts';
import { Store } from '../store/store.ts';
import { a, ScriptedSource, Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { SharedWatch } from './shared-watch.ts';
import { View } from './view.ts';

stopTheClock();
afterEach(() => {
  jest.restoreAllMocks();
});

/** The steps of which many queries of one kind could need one for each pair of them. */
function countSteps(): () => number {
  const spies = [
    jest.spyOn(Coverage.prototype, 'gapTo'),
    jest.spyOn(Overlay.prototype, 'adopt'),
    jest.spyOn(Store.prototype, 'indexOf'),
    jest.spyOn(SharedWatch.prototype, 'isAble', 'get'),
    jest.spyOn(SharedWatch.prototype, 'isReady', 'get'),
    jest.spyOn(SharedWatch.prototype, 'handles', 'get'),
    jest.spyOn(View.prototype, 'hasSynced', 'get'),
  ];
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

const index = { name: 'label', head: () => [] };

const queries: Readonly<Record<string, (n: number) => Partial<WatchQuery<Thing>>>> = {
  'with a label each': (n) => ({ labelSelector: `n=${n}` }),
  'with a set of labels each': (n) => ({ labelSelector: `app=x,n in (${n},${n}b)` }),
  'with a namespace each': (n) => ({ namespace: `n${n}` }),
  'with a name each': (n) => ({ namespace: 'n', fieldSelector: `metadata.name=a${n}` }),
  'with a namespace each, and one index': (n) => ({ namespace: `n${n}`, indexers: [index] }),
  'that are equal': () => ({}),
};

/** The steps to acquire this number of handles, to sync their watches and to release the handles. */
async function stepsOf(
  count: number,
  query: (n: number) => Partial<WatchQuery<Thing>>,
): Promise<number> {
  const steps = countSteps();
  const source = new ScriptedSource();
  await using cache = createInformerCache({ listerWatcher: () => source, linger: 0 });
  const handles = [cache.acquire({ resource: Thing, ...query(count) }, { owner: 'test' })];
  const synced = cache.waitForSync();
  for (let n = 0; n < count; n++) {
    handles.push(cache.acquire({ resource: Thing, ...query(n) }, { owner: 'test' }));
    if (n % 10 === 0) await pass(0);
  }
  await pass(200);
  await synced;
  source.set(a.name);
  await pass(0);
  for (const [n, handle] of handles.entries()) {
    handle.release();
    if (n % 10 === 0) await pass(0);
  }
  const total = steps();
  jest.restoreAllMocks();
  return total;
}

const readers = ['cache', 'scope'] as const;

/** The steps of reads beside this number of watches of other namespaces and names. */
async function readStepsOf(count: number, reader: (typeof readers)[number]): Promise<number> {
  const source = new ScriptedSource();
  source.set(a.name);
  await using cache = createInformerCache({ listerWatcher: () => source, linger: 0 });
  const scope = cache.scope();
  const { namespace = '', name } = a;
  const others = Array.from({ length: count }, (_, n): Partial<WatchQuery<Thing>> =>
    n % 2 === 0
      ? { namespace: `n${n}` }
      : { namespace: 'other', fieldSelector: `metadata.name=a${n}` },
  );
  const watched = { namespace, fieldSelector: `metadata.name=${name}` };
  for (const query of [...others, watched]) {
    scope.acquire({ resource: Thing, ...query }, { owner: 'test' });
  }
  await pass(200);
  const steps = [
    jest.spyOn(Coverage.prototype, 'reaches'),
    jest.spyOn(Coverage.prototype, 'covers'),
    jest.spyOn(View.prototype, 'hasSynced', 'get'),
  ];
  const read = reader === 'cache' ? cache : scope;
  expect(read.get(Thing, a)).toBeDefined();
  expect(read.list(Thing, { namespace, fieldSelector: `metadata.name=${name}` })).toHaveLength(1);
  const total = steps.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  jest.restoreAllMocks();
  return total;
}

describe('many watches of one kind', () => {
  test.each(Object.entries(queries))(
    'need steps in proportion to their number: %s',
    async (_what, query) => {
      const [few, many] = [await stepsOf(30, query), await stepsOf(120, query)];
      // Four times as many handles. Sixteen times the steps would be one for each pair.
      expect(many).toBeLessThan(Math.max(few, 30) * 6);
    },
  );

  test.each(readers)('do not make a read of one object or namespace slower: %s', async (reader) => {
    const [few, many] = [await readStepsOf(30, reader), await readStepsOf(120, reader)];
    expect(many).toBe(few);
  });
});
