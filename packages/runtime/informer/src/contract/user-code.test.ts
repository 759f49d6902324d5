import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { EventHandlerRegistration } from './informer-event.ts';
import { guardedObserver, type InformerObserver } from './informer-observer.ts';
import { Harness, namesIn, ObserverLog } from '../testing/harness.test-support.ts';
import { History } from '../testing/history.test-support.ts';
import type { Indexer } from './indexer.ts';
import { a, bytesFrame, eventually, type Thing } from '../testing/scripted-source.test-support.ts';
import type { NamedTransform } from './watch-query.ts';

const THEN = ['th', 'en'].join('');

/** Faulty actions that user code may do. */
const faults: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('boom');
  },
  'throws no Error': () => {
    // eslint-disable-next-line no-throw-literal, only-throw-error -- user code may
    throw undefined;
  },
  rejects: async () => Promise.reject(new Error('late boom')),
  'rejects with a promise of another kind': () =>
    Object.defineProperty({}, THEN, {
      value: (_resolve: unknown, reject: (error: Error) => void): void => reject(new Error('boom')),
    }),
  'has a promise that cannot be asked': () =>
    Object.defineProperty({}, THEN, {
      get: () => {
        throw new Error('boom');
      },
    }),
};

/** An object with a member that throws when it is read. */
function unreadable(object: object, member: string): object {
  return Object.defineProperty(object, member, {
    get: () => {
      throw new Error('boom');
    },
  });
}

/** Results that are wrong for every hook that must return a value. */
const wrongResults: Readonly<Record<string, () => unknown>> = {
  ...faults,
  'returns undefined': () => undefined,
  'returns null': () => null,
  'returns a number': () => 7,
  'returns an array of something else': () => [7, undefined],
  'returns a promise': async () => Promise.resolve([]),
  'returns rejecting promises': () => [Promise.reject(new Error('late boom'))],
  'returns an object with a rejecting promise': () => ({
    metadata: { name: 'bad', namespace: 'default' },
    data: Promise.reject(new Error('late boom')),
  }),
  'returns an array that cannot be read': () => unreadable(['a'], '0'),
  'returns an object that cannot be read': () => unreadable({}, 'metadata'),
  'returns a function that cannot be read': () => {
    const { proxy, revoke } = Proxy.revocable(() => undefined, {});
    revoke();
    return proxy;
  },
};

type Code = (...args: never[]) => unknown;

/** A kind of user code that fails in every call, and how a test passes it to the cache. */
interface Hook {
  readonly faults: Readonly<Record<string, () => unknown>>;
  /** The observer method that reports the fault; `undefined` for the observer itself. */
  readonly reported: string | undefined;
  readonly setUp: (code: Code) => Setup;
}

interface Setup {
  readonly observer?: InformerObserver;
  readonly transform?: NamedTransform<Thing>;
  /** Adds the user code to its own handle. */
  readonly attach?: (
    handle: Awaited<ReturnType<Harness['synced']>>,
  ) => EventHandlerRegistration | Disposable;
}

const OBSERVER_METHODS = Object.keys(guardedObserver({}));

const hooks: Readonly<Record<string, Hook>> = {
  'an event handler': {
    faults,
    reported: 'handler error bad',
    setUp: (code) => ({ attach: (handle) => handle.addEventHandler(code as never) }),
  },
  'a health listener': {
    faults,
    reported: 'handler error bad',
    setUp: (code) => ({ attach: (handle) => handle.onHealthChange(code as never) }),
  },
  'an indexer over metadata': {
    faults: wrongResults,
    reported: 'indexer error bad',
    setUp: (code) => ({
      attach: (handle) =>
        handle.addIndexer({ name: 'bad', head: code } as unknown as Indexer<Thing>),
    }),
  },
  'an indexer over bodies': {
    faults: wrongResults,
    reported: 'indexer error bad',
    setUp: (code) => ({
      attach: (handle) =>
        handle.addIndexer({ name: 'bad', body: code } as unknown as Indexer<Thing>),
    }),
  },
  'a transform': {
    faults: wrongResults,
    reported: 'skipped transform',
    setUp: (code) => ({
      transform: {
        name: 'bad',
        apply: (thing: Thing) => (thing.metadata?.name === 'bad' ? code() : thing) as Thing,
      },
    }),
  },
  ...Object.fromEntries(
    OBSERVER_METHODS.map((name) => [
      `the observer's ${name}`,
      { faults, reported: undefined, setUp: (code: Code) => ({ observer: { [name]: code } }) },
    ]),
  ),
};

const table = Object.entries(hooks).flatMap(([name, hook]) =>
  Object.keys(hook.faults).map((fault) => [name, fault] as const),
);

/** An observer that fails in one method and records all calls. */
function recording(log: ObserverLog, bad: InformerObserver = {}): InformerObserver {
  const methods = OBSERVER_METHODS.map((name) => {
    const record = (log as unknown as Record<string, Code | undefined>)[name];
    const own = (bad as Record<string, Code | undefined>)[name];
    const both = (...args: never[]): unknown => {
      record?.apply(log, args);
      return own?.(...args);
    };
    return [name, both];
  });
  return Object.fromEntries(methods) as InformerObserver;
}

function throwing(): never {
  throw new Error('user code');
}

describe('user code that fails', () => {
  const rejections: unknown[] = [];
  const warned = jest.fn();
  const onRejection = (error: unknown): unknown => rejections.push(error);

  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', onRejection);
    warned.mockReset();
    jest.spyOn(process, 'emitWarning').mockImplementation(warned);
  });
  afterEach(() => {
    process.off('unhandledRejection', onRejection);
    jest.restoreAllMocks();
  });

  test.each(table)('%s that %s affects nothing else', async (name, fault) => {
    const { faults: all, reported, setUp } = hooks[name] as Hook;
    const calls = { count: 0 };
    const { observer, transform, attach } = setUp(() => {
      calls.count++;
      return all[fault]?.();
    });
    const log = new ObserverLog();
    await using harness = new Harness({ observer: recording(log, observer), linger: 0 });
    harness.source.toFrame = bytesFrame;
    const query = transform === undefined ? {} : { transform };

    // The initial list.
    for (const one of ['a', 'b', 'bad']) harness.source.set(one);
    const bad = harness.acquire(query, 'bad');
    const attached = attach?.(bad);
    const good = harness.acquire(query, 'good');
    const history = new History();
    const registration = good.addEventHandler(history.handler);
    const healths: string[] = [];
    good.onHealthChange(({ state }) => healths.push(state));
    good.addIndexer({ name: 'name', head: (view) => [view.name] });
    const expected = (...names: string[]): string[] =>
      transform === undefined ? names : names.filter((one) => one !== 'bad');
    const check = (...names: string[]): void => {
      expect(namesIn(good)).toEqual(expected(...names));
      const known = [...history.known.keys()].map((key) => key.slice('default/'.length)).toSorted();
      expect(known).toEqual(expected(...names));
      for (const one of expected(...names)) {
        const index = { name: 'name', value: one };
        expect(good.store.views({ index }).map((view) => view.name)).toEqual([one]);
      }
      expect(history.complaints).toEqual([]);
    };
    await Promise.all([bad.synced, good.synced, registration.synced]);
    if (attached !== undefined && 'synced' in attached) await attached.synced;
    await harness.caughtUp(good);
    check('a', 'b', 'bad');

    // Events.
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.set('bad', { spec: { value: 2 } });
    harness.source.remove('b');
    harness.source.set('c');
    await harness.caughtUp(good);
    check('a', 'bad', 'c');
    expect(good.store.get(a)?.spec).toEqual({ value: 2 });

    // A relist.
    harness.missed(() => {
      harness.source.remove('c');
      harness.source.set('d');
    });
    await harness.caughtUp(good);
    await eventually(() => history.known.has('default/d'));
    check('a', 'bad', 'd');

    // Removes a handler, also while it runs, and ends the watch.
    attached?.[Symbol.dispose]();
    bad.release();
    harness.source.set('e');
    await harness.caughtUp(good);
    check('a', 'bad', 'd', 'e');
    good.release();
    await eventually(() => harness.source.openRequests === 0);
    await harness.cache.close();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));

    expect(rejections).toEqual([]);
    expect(log.of('loop')).toEqual([]);
    expect(log.of('listing')).toEqual(['listing initial', 'listing expired']);
    expect(harness.source.count('watch')).toBe(3);
    expect(log.lines.filter((line) => line === 'stopped')).toEqual(['stopped']);
    if (reported !== undefined) {
      expect(calls.count).toBeGreaterThan(0);
      expect(log.of(reported).length).toBeGreaterThanOrEqual(calls.count);
    }
    if (reported === undefined && calls.count > 0) {
      expect(warned).toHaveBeenCalledTimes(1);
      expect(warned).toHaveBeenCalledWith(
        expect.stringContaining('failed'),
        expect.objectContaining({ code: 'OBSERVER_FAILED' }),
      );
    }
  });

  test('a transform that starts to fail keeps the last state that it accepted', async () => {
    await using harness = new Harness();
    const transform = {
      name: 'picky',
      apply: (thing: Thing) => (thing.spec?.value === 2 ? (undefined as never) : thing),
    };
    harness.source.set('a', { spec: { value: 1 } });
    const handle = await harness.synced({ transform });
    harness.source.set('a', { spec: { value: 2 } });
    await harness.caughtUp(handle);
    expect(handle.store.get(a)?.spec).toEqual({ value: 1 });
    harness.missed(() => harness.source.set('b'));
    await eventually(() => handle.store.size === 2);
    expect(handle.store.get(a)?.spec).toEqual({ value: 1 });
    harness.source.set('a', { spec: { value: 3 } });
    await harness.caughtUp(handle);
    expect(handle.store.get(a)?.spec).toEqual({ value: 3 });
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    expect(namesIn(handle)).toEqual(['b']);
  });

  test('an observer without methods changes nothing, whatever there is to report', async () => {
    await using harness = new Harness({ observer: {}, linger: 60_000 });
    const transform = { name: 't', apply: (thing: Thing) => (isBad(thing) ? throwing() : thing) };
    const isBad = ({ metadata }: Thing): boolean => metadata?.name === 'bad';
    for (const name of ['a', 'bad']) harness.source.set(name);
    const first = harness.acquire({ transform });
    first.addEventHandler(throwing);
    first.onHealthChange(throwing);
    first.addIndexer({ name: 'head', head: throwing });
    await first.synced;
    first.release();
    const second = await harness.synced({ transform });
    const states: string[] = [];
    second.onHealthChange(({ state }) => states.push(state));
    harness.source.set('bad', { spec: { value: 2 } });
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.remove('a');
    harness.source.set('b');
    await harness.caughtUp(second);
    harness.missed(() => harness.source.set('c'));
    await harness.caughtUp(second);
    expect(namesIn(second)).toEqual(['b', 'c']);
    // Apart from the relist the watch reported nothing, so no defect of Keelson.
    expect(states).toEqual(['syncing', 'live']);
    expect([rejections, warned.mock.calls]).toEqual([[], []]);
  });

  test('a health listener that another listener removed is not called', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const states: string[] = [];
    handle.onHealthChange(() => second[Symbol.dispose]());
    const second = handle.onHealthChange(({ state }) => states.push(state));
    harness.source.cut(new Error('reset'));
    await eventually(() => harness.observer.of('health backing-off').length > 0);
    expect(states).toEqual([]);
  });

  test.each(Object.entries(faults))(
    'a clock or random numbers whose function %s leave the cache working, with one warning each',
    async (_, fault) => {
      const option = fault as () => never;
      await using harness = new Harness({ now: option, random: option });
      harness.source.set('a');
      const handle = harness.acquire();
      await handle.synced;
      expect(namesIn(handle)).toEqual(['a']);
      harness.source.cut(new Error('reset'));
      await eventually(() => harness.observer.of('health backing-off').length > 0);
      handle.release();
      await harness.cache.close();
      const names = warned.mock.calls.map(([text]) => String(text).split(' ')[0]);
      expect(new Set(names)).toEqual(new Set(['now', 'random']));
      expect(names).toHaveLength(2);
      expect(rejections).toEqual([]);
    },
  );

  test('a lister-watcher that throws or is invalid makes the watch back off', async () => {
    const failing = [
      () => {
        throw new Error('boom');
      },
      () => undefined,
      () => ({ list: () => undefined, watch: () => undefined }),
      () => ({ list: Promise.reject(new Error('boom')), watch: () => undefined }),
      async () => Promise.resolve(),
      async () => Promise.reject(new Error('boom')),
      faults['rejects with a promise of another kind'],
      faults['has a promise that cannot be asked'],
    ];
    for (const listerWatcher of failing) {
      await using harness = new Harness({ listerWatcher: listerWatcher as never });
      const handle = harness.acquire();
      await eventually(() => handle.health.state === 'backing-off');
      handle.release();
    }
    expect(rejections).toEqual([]);
  });
});
