import { describe, expect, jest, test } from '@jest/globals';
import type { Persisted } from '@keelson/apimachinery';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import { Coverage } from '../contract/coverage.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';
import { namesIn, RecordingHandler, withCode } from '../testing/harness.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { VersionedServer } from '../testing/versioned-server.test-support.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { NormalQuery, WatchQuery } from '../contract/watch-query.ts';

stopTheClock();

const app = { labels: { app: 'x' } };
const isWide = ({ labelSelector, namespace }: NormalQuery): boolean =>
  labelSelector === undefined && namespace === undefined;
const isNarrow = (query: NormalQuery): boolean => !isWide(query);

/** A cache over a server that evaluates queries. */
class Setup implements AsyncDisposable {
  readonly server: VersionedServer = new VersionedServer();
  readonly cache: InformerCache;

  constructor(options: Partial<InformerCacheOptions> = {}) {
    this.cache = createInformerCache({
      listerWatcher: this.server.listerWatcher,
      random: () => 1,
      ...options,
    });
    this.server.set('a', app);
    this.server.set('b');
    this.server.set('c', { namespace: 'n2', ...app });
  }

  acquire(query: Partial<WatchQuery<Thing>> = {}, owner = 'test'): WatchHandle<Thing> {
    return this.cache.acquire({ resource: Thing, ...query }, { owner });
  }

  async synced(query: Partial<WatchQuery<Thing>> = {}): Promise<WatchHandle<Thing>> {
    const handle = this.acquire(query);
    await handle.synced;
    await settled();
    return handle;
  }

  /** The number of watches that run or linger. */
  get watches(): number {
    return this.cache.inventory().length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }
}

async function settled(): Promise<void> {
  await pass(0);
}

describe('a query that a running watch covers', () => {
  test('RC20 equal normal forms share a watch, and exact queries do not share with other selectors', async () => {
    await using setup = new Setup();
    await setup.synced({ labelSelector: 'app=x,tier notin (web)', sharing: 'exact' });
    await setup.synced({ labelSelector: 'tier notin (web), app = x', sharing: 'exact' });
    expect(setup.server.requests).toHaveLength(1);
    await setup.synced();
    const other = await setup.synced({ labelSelector: 'app=x', sharing: 'exact' });
    expect(setup.server.requests).toHaveLength(3);
    expect(namesIn(other)).toEqual(['a', 'c']);
    expect(setup.cache.inventory()).toMatchObject([
      { query: { labelSelector: 'app=x,tier!=web' }, handles: [{}, {}] },
      { query: { labelSelector: undefined }, handles: [{}] },
      { query: { labelSelector: 'app=x' }, handles: [{}] },
    ]);
  });

  test('RC21 is a view without a request: entering is added, leaving is deleted with the last matching state', async () => {
    await using setup = new Setup();
    const { server } = setup;
    await setup.synced();
    const view = await setup.synced({ labelSelector: 'app=x' });
    const recorded = new RecordingHandler(view);
    await recorded.registration.synced;
    expect(recorded.lines.toSorted()).toEqual(['initial a', 'initial c']);
    expect(server.requests).toHaveLength(1);
    server.set('b', { ...app, value: 1 });
    server.set('b', { ...app, value: 2 });
    server.set('b', { value: 3 });
    server.set('b', { value: 4 });
    server.remove('a');
    await settled();
    expect(recorded.lines.slice(2)).toEqual(['added b', 'updated b', 'deleted b', 'deleted a']);
    expect(recorded.events[4]?.object.value().spec).toEqual({ value: 2 });
    expect(namesIn(view)).toEqual(['c']);
    expect(view.store.size).toBe(1);
    expect(view.store.get({ namespace: 'n1', name: 'b' })).toBeUndefined();
    expect(view.store.list({ namespace: 'n1' })).toEqual([]);
  });

  test('RC21 the other handles of the wide watch are released: the view continues without a gap', async () => {
    await using setup = new Setup({ linger: 1_000 });
    const { server } = setup;
    const wide = await setup.synced();
    const view = await setup.synced({ labelSelector: 'app=x' });
    const recorded = new RecordingHandler(view);
    await recorded.registration.synced;
    wide.release();
    await pass(999);
    server.set('d', app);
    server.isSilent = isNarrow;
    await pass(1);
    await eventually(() => server.requests.length === 2);
    server.set('e', app);
    await settled();
    expect(recorded.lines.slice(2)).toEqual(['added d', 'added e']);
    expect(setup.watches).toBe(2);
    expect(() => setup.cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    server.isSilent = () => false;
    server.streamOf(isNarrow).watch.end(new Error('reset'));
    await pass(60_000);
    await eventually(() => setup.watches === 1);
    expect(setup.cache.inventory()).toMatchObject([{ query: { labelSelector: 'app=x' } }]);
    server.set('f', app);
    server.remove('d');
    await settled();
    expect(recorded.lines.slice(4)).toEqual(['added f', 'deleted d']);
    expect(namesIn(view)).toEqual(['a', 'c', 'e', 'f']);
  });

  test('RC21 two equal views share their new watch', async () => {
    await using setup = new Setup({ linger: 0 });
    const wide = await setup.synced();
    const views = [
      await setup.synced({ labelSelector: 'app=x' }),
      await setup.synced({ labelSelector: 'app in (x)' }),
      await setup.synced({ labelSelector: 'app=x', namespace: 'n1' }),
    ];
    wide.release();
    await eventually(
      () => setup.watches === 1 && setup.cache.inventory()[0]?.query.labelSelector === 'app=x',
    );
    expect(setup.server.requests).toHaveLength(2);
    expect(views.map(namesIn)).toEqual([['a', 'c'], ['a', 'c'], ['a']]);
  });
});

describe('a wider query', () => {
  test('RC22 takes over a narrower watch: one watch remains, and handlers see no gap and no repeat', async () => {
    await using setup = new Setup();
    const { server } = setup;
    const narrow = await setup.synced({ namespace: 'n1' });
    const recorded = new RecordingHandler(narrow);
    await recorded.registration.synced;
    server.isHeld = true;
    server.set('a', { ...app, value: 1 });
    server.set('d');
    server.remove('b');
    const wide = setup.acquire();
    await wide.synced;
    await eventually(() => setup.watches === 1);
    expect(recorded.lines.slice(2).toSorted()).toEqual(['added d', 'gone b', 'updated a']);
    server.isHeld = false;
    server.sendAll();
    server.set('d', { value: 2 });
    await settled();
    expect(recorded.lines.slice(5)).toEqual(['updated d']);
    expect(server.streams.size).toBe(1);
    expect(narrow.identity).toBe(wide.identity);
    expect([namesIn(narrow), namesIn(wide)]).toEqual([
      ['a', 'd'],
      ['a', 'c', 'd'],
    ]);
  });

  test('RC22 takes over only when it has reached the last change that the narrow handlers saw', async () => {
    await using setup = new Setup();
    const { server } = setup;
    const narrow = await setup.synced({ namespace: 'n1' });
    const recorded = new RecordingHandler(narrow);
    server.isHeld = true;
    server.remove('b');
    server.set('a', { value: 1 });
    server.send(server.streamOf(isNarrow));
    server.lag = 2;
    server.supportsWatchList = false;
    await setup.synced();
    expect(setup.watches).toBe(2);
    const [wide] = [server.streamOf(isWide)];
    server.send(wide, 1);
    await settled();
    expect(setup.watches).toBe(2);
    expect(namesIn(narrow)).toEqual(['a']);
    server.send(wide, 1);
    await eventually(() => setup.watches === 1);
    expect(recorded.lines.slice(2)).toEqual(['deleted b', 'updated a']);
  });

  test('RC22 never takes over if versions have no order', async () => {
    await using setup = new Setup({ linger: 0 });
    setup.server.versionText = (version) => `v${version}`;
    const narrow = await setup.synced({ namespace: 'n1' });
    const wide = await setup.synced();
    await pass(60_000);
    expect(setup.watches).toBe(2);
    expect(narrow.identity).toContain('n1');
    expect(setup.cache.plan()[0]?.others).toEqual([{ watch: wide.identity, reason: 'unordered' }]);
    const view = await setup.synced({ namespace: 'n2' });
    wide.release();
    await pass(60_000);
    expect(view.identity).toBe(wide.identity);
    expect(setup.watches).toBe(2);
  });

  test('RC22 keeps indexes and retention of the narrower handles', async () => {
    await using setup = new Setup({ linger: 0 });
    const { cache } = setup;
    const indexers = [
      { name: 'app', head: ({ metadata }: ObjectView) => [metadata.labels?.app ?? ''] },
    ];
    const narrow = await setup.synced({ namespace: 'n1', indexers, retain: 'object' });
    const found = (): string[] =>
      narrow.store.views({ index: { name: 'app', value: 'x' } }).map(({ key }) => key);
    expect(found()).toEqual(['n1/a']);
    const wide = await setup.synced();
    expect(narrow.identity).toBe(wide.identity);
    expect(found()).toEqual(['n1/a']);
    expect(cache.inventory()).toMatchObject([{ retain: 'object', indices: [{ name: 'app' }] }]);
    narrow.release();
    expect(cache.inventory()).toMatchObject([{ retain: 'lazy', indices: [] }]);
  });

  test('RC22 of two queries that select the same, the first one keeps its watch', async () => {
    await using setup = new Setup();
    const first = setup.acquire({ namespace: 'n1' });
    const second = setup.acquire({ fieldSelector: 'metadata.namespace=n1' });
    expect(setup.watches).toBe(2);
    const identity = first.identity;
    await second.synced;
    await settled();
    expect([first.identity, second.identity]).toEqual([identity, identity]);
    expect(setup.watches).toBe(1);
  });

  test('RC22 that is forbidden does not take over, and gives its handles back if it becomes so', async () => {
    await using setup = new Setup({ linger: 0 });
    const { server } = setup;
    server.isForbidden = isWide;
    const narrow = await setup.synced({ namespace: 'n1' });
    const recorded = new RecordingHandler(narrow);
    const states: string[] = [];
    narrow.onHealthChange(({ state }) => states.push(state));
    const wide = setup.acquire();
    await eventually(() => wide.health.state === 'forbidden');
    expect([narrow.health.state, setup.watches]).toEqual(['live', 2]);
    server.isForbidden = () => false;
    await pass(10_000);
    await eventually(() => narrow.identity === wide.identity);
    server.isForbidden = isWide;
    server.set('d');
    server.streamOf(isWide).watch.end(new Error('reset'));
    await pass(60_000);
    await eventually(() => narrow.identity !== wide.identity);
    expect([narrow.health.state, wide.health.state]).toEqual(['live', 'forbidden']);
    expect(states).toEqual(['backing-off', 'forbidden', 'live']);
    server.set('e');
    await settled();
    expect(recorded.lines.slice(2)).toEqual(['added d', 'added e']);
  });

  test('RC22 that comes and goes moves narrower watches once, then less and less often', async () => {
    await using setup = new Setup({ linger: 1_000 });
    const { server } = setup;
    await setup.synced({ namespace: 'n1' });
    const comeAndGo = async (held: number): Promise<number> => {
      const before = server.requests.filter(isNarrow).length;
      const wide = await setup.synced();
      await pass(held);
      wide.release();
      await pass(1_000);
      await settled();
      return server.requests.filter(isNarrow).length - before;
    };
    expect(await comeAndGo(0)).toBe(1);
    for (const held of [0, 999]) expect(await comeAndGo(held)).toBe(0);
    expect(await comeAndGo(1_000)).toBe(1);
    for (const held of [1_000, 1_999]) expect(await comeAndGo(held)).toBe(0);
    expect(await comeAndGo(2_000)).toBe(1);
    await pass(600_000);
    expect(await comeAndGo(0)).toBe(1);
  });
});

describe('reads of views', () => {
  test('return objects whose transform removes the labels that the watch selects', async () => {
    await using setup = new Setup();
    const transform = {
      name: 'no labels',
      apply: (thing: Persisted<Thing>) => ({
        ...thing,
        metadata: { ...thing.metadata, labels: {} },
      }),
    };
    await setup.synced({ labelSelector: 'app=x', transform });
    const view = await setup.synced({ labelSelector: 'app=x', namespace: 'n1', transform });
    expect(setup.server.requests).toHaveLength(1);
    expect(namesIn(view)).toEqual(['a']);
  });

  test('return an object once that two views of one watch have', async () => {
    await using setup = new Setup();
    const scope = setup.cache.scope();
    await setup.synced();
    for (const query of [{ labelSelector: 'app=x' }, { namespace: 'n1' }]) {
      await scope.acquire({ resource: Thing, ...query }, { owner: 'test' }).synced;
    }
    expect(scope.list(Thing).map(({ metadata }) => metadata.name)).toEqual(['a', 'c', 'b']);
    expect(setup.server.requests).toHaveLength(1);
  });
});

describe('the store of a view', () => {
  test('keeps an index of its objects after the first scan, and removes it with the view', async () => {
    await using setup = new Setup({ linger: 0 });
    const { server, cache } = setup;
    await setup.synced();
    const view = await setup.synced({ labelSelector: 'app=x' });
    const indices = (): unknown => cache.inventory()[0]?.indices.map(({ over }) => over);
    expect(indices()).toEqual([]);
    expect([view.store.size, namesIn(view)]).toEqual([2, ['a', 'c']]);
    expect(indices()).toEqual(['head']);
    server.set('b', app);
    server.set('c', { namespace: 'n2' });
    server.remove('a');
    await settled();
    expect([view.store.size, namesIn(view)]).toEqual([1, ['b']]);
    expect(view.store.list({ namespace: 'n2' })).toEqual([]);
    expect((await view.store.listAsync()).map(({ metadata }) => metadata.name)).toEqual(['b']);
    server.compact();
    server.isHeld = true;
    server.set('d', app);
    server.fail(server.streamOf(isWide), 410);
    await eventually(() => view.store.size === 2);
    expect(namesIn(view)).toEqual(['b', 'd']);
    view.release();
    expect(indices()).toEqual([]);
  });
});

describe('projections', () => {
  test('RC24 a full watch serves a query of the metadata, which switches to its own watch when the full one ends', async () => {
    await using setup = new Setup({ linger: 0 });
    const { server } = setup;
    const full = await setup.synced();
    const metadata = await setup.synced({ projection: 'metadata' });
    const recorded = new RecordingHandler(metadata);
    await recorded.registration.synced;
    expect(server.requests).toHaveLength(1);
    const form = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: expect.anything() };
    expect(recorded.events.map(({ object }) => object.value())).toEqual([form, form, form]);
    expect(metadata.store.get({ namespace: 'n1', name: 'a' })).toEqual(form);
    expect(metadata.store.list()).toEqual([form, form, form]);
    expect(await metadata.store.listAsync()).toEqual([form, form, form]);
    full.release();
    await eventually(() => setup.cache.inventory()[0]?.projection === 'metadata');
    expect(setup.watches).toBe(1);
    server.set('a', { value: 1 });
    await settled();
    const again = await setup.synced();
    await pass(0);
    server.set('a', { value: 2 });
    await settled();
    expect(recorded.lines.slice(3)).toEqual(['updated a', 'updated a']);
    expect(setup.watches).toBe(1);
    expect(metadata.identity).toBe(again.identity);
    expect(recorded.events.at(-1)?.object.value()).toEqual(form);
  });
});

describe('two users of one cache', () => {
  test('RC23 one releases all its handles at once: the views of the other continue', async () => {
    await using setup = new Setup({ linger: 0 });
    const view = await setup.synced({ namespace: 'n1' });
    const others = [await setup.synced(), await setup.synced({ projection: 'metadata' })];
    const recorded = new RecordingHandler(view);
    await recorded.registration.synced;
    for (const other of others) other.release();
    setup.server.set('d');
    await eventually(() => setup.cache.inventory()[0]?.query.namespace === 'n1');
    setup.server.remove('d');
    await settled();
    expect(recorded.lines.slice(2)).toEqual(['added d', 'deleted d']);
    expect(setup.watches).toBe(1);
  });
});

describe('the plan of a cache', () => {
  test('names the watch of each handle, and why no other watch serves it', async () => {
    await using setup = new Setup();
    const { server, cache } = setup;
    const reasons = (owner: string): unknown => {
      const planned = cache.plan().find((one) => one.owner === owner);
      return planned?.others.map(({ reason }) => reason);
    };
    server.isForbidden = ({ labelSelector }) => labelSelector === 'app in (x,y)';
    server.isSilent = ({ labelSelector }) => labelSelector === 'app';
    const narrow = setup.acquire({ labelSelector: 'app=x' }, 'narrow');
    const wide = setup.acquire({ labelSelector: 'app in (x,y)' }, 'forbidden');
    setup.acquire({ labelSelector: 'app' }, 'unsynced');
    setup.acquire({ labelSelector: 'app=x', sharing: 'exact' }, 'exact');
    setup.acquire({ labelSelector: 'tier' }, 'other');
    setup.acquire({ projection: 'metadata' }, 'metadata');
    await narrow.synced;
    await eventually(() => wide.health.state === 'forbidden');
    expect(reasons('narrow')).toEqual(['forbidden', 'unsynced', 'selectors', 'projection']);
    expect(reasons('exact')).toEqual(['exact', 'exact', 'exact', 'exact']);
    expect(cache.plan()[0]).toMatchObject({
      owner: 'narrow',
      required: true,
      sharing: 'views',
      watch: narrow.identity,
      isView: false,
      query: { labelSelector: 'app=x' },
    });
    setup.acquire({}, 'wide');
    await eventually(() => cache.plan()[0]?.isView === true);
    expect(cache.plan()[0]?.watch).toBe(setup.acquire().identity);
    const transform = { name: 'same', apply: (object: Thing) => object };
    await setup.synced({ transform });
    expect(reasons('wide')).toContain('transform');
    expect(reasons('exact')).toContain('exact');
  });

  test('names the watch to which a handle moves, and what it waits for', async () => {
    await using setup = new Setup({ linger: 1_000 });
    const { server, cache } = setup;
    const narrow = await setup.synced({ namespace: 'n1' });
    server.isHeld = true;
    server.lag = 1;
    server.supportsWatchList = false;
    server.set('a', { value: 1 });
    server.send(server.streamOf(isNarrow));
    const wide = await setup.synced();
    const plan = (): unknown => cache.plan().map(({ others }) => others[0]?.reason);
    expect(cache.plan()).toMatchObject([{ isView: false, movesTo: wide.identity }, {}]);
    expect(plan()).toEqual(['behind', 'selectors']);
    wide.release();
    await settled();
    expect(plan()).toEqual(['lingering']);
    await pass(1_000);
    server.isHeld = false;
    server.sendAll();
    server.lag = 0;
    const again = await setup.synced();
    expect(cache.plan()).toMatchObject([{ isView: true, watch: again.identity }, {}]);
    again.release();
    await pass(1_000);
    await eventually(() => narrow.identity !== again.identity);
    await setup.synced();
    expect(plan()).toEqual(['delayed', 'selectors']);
  });

  test('of one watch compares its queries with each other watch once', async () => {
    const comparisons = async (watches: number): Promise<number> => {
      await using setup = new Setup();
      const handles: WatchHandle<Thing>[] = [];
      for (let index = 0; index < watches; index += 1)
        handles.push(setup.acquire({ labelSelector: `app=${index}` }, `owner ${index}`));
      await Promise.all(handles.map(({ synced }) => synced));
      await settled();
      const compared = jest.spyOn(Coverage.prototype, 'gapTo');
      const [first] = handles;
      const planned = setup.cache.plan(first?.identity);
      expect(planned.map(({ owner }) => owner)).toEqual(['owner 0']);
      expect(planned[0]?.others).toHaveLength(watches - 1);
      const count = compared.mock.calls.length;
      compared.mockRestore();
      expect(setup.cache.plan('another')).toEqual([]);
      return count;
    };
    expect([await comparisons(20), await comparisons(40)]).toEqual([19, 39]);
  });
});
