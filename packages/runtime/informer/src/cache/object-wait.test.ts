import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import type { DeepReadonly, Persisted } from '@keelson/apimachinery';
import type { InformerCache } from './informer-cache.ts';
import { ObjectWaits } from './object-wait.ts';
import { Harness, listing, withCode } from '../testing/harness.test-support.ts';
import { a, eventually, Other, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  threeThings,
  x,
} from '../testing/selecting-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

type State = DeepReadonly<Persisted<Thing>> | undefined;

/** A predicate that records the values it receives, and holds for one of them. */
function recording(until: number | undefined): {
  readonly seen: (number | undefined)[];
  readonly predicate: (thing: State) => boolean;
} {
  const seen: (number | undefined)[] = [];
  const predicate = (thing: State): boolean => {
    const value = thing === undefined ? undefined : (thing.spec?.value ?? 0);
    seen.push(value);
    return value === until;
  };
  return { seen, predicate };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('waiting for an object', () => {
  test('resolves with the present state if it matches', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    await harness.synced();
    const { seen, predicate } = recording(1);
    const found = await harness.cache.waitFor(Thing, a, predicate);
    expect(found).toBe(harness.cache.get(Thing, a));
    expect(seen).toEqual([1]);
  });

  test('calls the predicate for every later state, once, until it holds', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const { seen, predicate } = recording(3);
    const waiting = harness.cache.waitFor(Thing, a, predicate);
    for (const value of [1, 2, 3, 4]) harness.source.set('a', { spec: { value } });
    harness.source.set('b');
    expect((await waiting)?.spec?.value).toBe(3);
    await harness.caughtUp(handle);
    harness.acquire({}, 'another').release();
    expect(seen).toEqual([undefined, 1, 2, 3]);
  });

  test('waits for the first sync', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    harness.acquire();
    const { seen, predicate } = recording(1);
    expect(await harness.cache.waitFor(Thing, a, predicate)).toMatchObject({ spec: { value: 1 } });
    expect(seen).toEqual([1]);
  });

  test('resolves with undefined when the object is gone', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced();
    const waiting = harness.cache.waitFor(Thing, a, (thing) => thing === undefined);
    harness.source.remove('a');
    expect(await waiting).toBeUndefined();
  });

  test('shows that an object is gone before another one of its name', async () => {
    await using harness = listing();
    harness.source.set('a', { spec: { value: 1 } });
    await harness.synced();
    const { seen, predicate } = recording(2);
    const waiting = harness.cache.waitFor(Thing, a, predicate);
    harness.missed(() => {
      harness.source.remove('a');
      harness.source.set('a', { spec: { value: 2 } });
    });
    await waiting;
    expect(seen).toEqual([1, undefined, 2]);
  });

  test('finds a deletion that the watch missed', async () => {
    await using harness = listing();
    harness.source.set('a');
    await harness.synced();
    const waiting = harness.cache.waitFor(Thing, a, (thing) => thing === undefined);
    harness.missed(() => harness.source.remove('a'));
    expect(await waiting).toBeUndefined();
  });

  test('reads the form that its options request', async () => {
    await using harness = new Harness();
    harness.source.set('a', { spec: { value: 1 } });
    await harness.synced({ projection: 'metadata' });
    const wait = harness.cache.waitFor(Thing, a, (thing) => thing !== undefined);
    await expect(wait).rejects.toEqual(withCode('NOT_WATCHED'));
    const found = await harness.cache.waitFor(Thing, a, (thing) => thing !== undefined, {
      projection: 'metadata',
    });
    expect(Object.keys(found ?? {})).toEqual(['apiVersion', 'kind', 'metadata']);
  });
});

describe('the watches of a wait', () => {
  test('must cover the read when the wait begins', async () => {
    await using harness = new Harness();
    await harness.synced({ namespace: 'other' });
    const predicate = jest.fn(() => true);
    for (const [resource, name, code] of [
      [Thing, a, 'NOT_WATCHED'],
      [Other, a, 'NOT_WATCHED'],
      [Thing, { name: 'a' }, 'NAMESPACE_REQUIRED'],
    ] as const) {
      const wait = harness.cache.waitFor(resource, name, predicate);
      await expect(wait).rejects.toEqual(withCode(code));
    }
    expect(predicate).not.toHaveBeenCalled();
  });

  test('end the wait with HANDLE_RELEASED when the last one is released', async () => {
    await using harness = new Harness();
    const first = await harness.synced();
    const second = harness.acquire({ namespace: 'default' });
    const waiting = harness.cache.waitFor(Thing, a, () => false);
    let error: unknown;
    waiting.catch((reason: unknown) => (error = reason));
    first.release();
    await turn();
    expect(error).toBeUndefined();
    second.release();
    await turn();
    const facts = { resource: 'example.com/v1/things', namespace: 'default', name: 'a' };
    expect(error).toMatchObject({ code: 'HANDLE_RELEASED', facts });
  });

  test('end the wait of a scope although others hold the watch', async () => {
    await using harness = new Harness();
    await harness.synced();
    const scope = harness.cache.scope();
    const handle = scope.acquire({ resource: Thing }, holder);
    const waiting = scope.waitFor(Thing, a, (thing) => thing !== undefined);
    const ended = scope.waitFor(Thing, { ...a, name: 'b' }, () => false);
    harness.source.set('a');
    expect(await waiting).toMatchObject({ metadata: a });
    handle.release();
    await expect(ended).rejects.toEqual(withCode('HANDLE_RELEASED'));
  });

  test('end the wait with CACHE_CLOSED when the cache closes', async () => {
    const harness = new Harness();
    await harness.synced();
    const ended = [1, 2].map(() =>
      expect(harness.cache.waitFor(Thing, a, () => false)).rejects.toEqual(
        withCode('CACHE_CLOSED'),
      ),
    );
    await harness.cache.close();
    await Promise.all(ended);
    const late = harness.cache.waitFor(Thing, a, () => false);
    await expect(late).rejects.toEqual(withCode('CACHE_CLOSED'));
  });

  test('may change during the wait', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const scope = cache.scope();
    const narrow = await acquired(scope, { labelSelector: 'app=x' });
    const labels: (string | undefined)[] = [];
    const waiting = scope.waitFor(Thing, a, (thing) => {
      labels.push(thing?.metadata.labels?.['app']);
      return thing?.metadata.labels?.['app'] === 'z';
    });
    const wide = await acquired(cache);
    await eventually(() => narrow.identity === wide.identity, 'the move');
    const [thing] = server.objects;
    const send = (version: string, app: string): void => {
      const metadata = { ...thing?.metadata, resourceVersion: version, labels: { app } };
      server.send(() => true, 'MODIFIED', { ...thing, metadata });
    };
    send('101', 'y');
    await eventually(() => labels.length === 2, 'the change');
    await acquired(scope);
    send('102', 'z');
    expect((await waiting)?.metadata.resourceVersion).toBe('102');
    expect(labels).toEqual([x.app, undefined, 'y', 'z']);
  });
});

describe('the predicate of a wait', () => {
  test('receives a state again when another watch serves it in another form', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    const apply = (thing: Thing): Thing => ({ ...thing, spec: { node: 'hidden' } });
    await acquired(scope, { transform: { name: 'hide', apply } });
    const nodes: (string | undefined)[] = [];
    const waiting = scope.waitFor(Thing, a, (thing) => {
      nodes.push(thing?.spec?.node);
      return thing?.spec?.node === 'n1';
    });
    await acquired(scope, { namespace: 'default' });
    expect((await waiting)?.spec).toEqual({ node: 'n1' });
    expect(nodes).toEqual(['hidden', 'n1']);
  });

  test.each([0, 1])('ends the wait with its error after %d changes', async (changes) => {
    await using harness = new Harness();
    const handle = await harness.synced();
    let calls = 0;
    const waiting = harness.cache.waitFor(Thing, a, () => {
      if (calls++ === changes) throw new Error('from the predicate');
      return false;
    });
    if (changes > 0) harness.source.set('a');
    await expect(waiting).rejects.toThrow('from the predicate');
    harness.source.set('a');
    await harness.caughtUp(handle);
    expect(calls).toBe(changes + 1);
    expect(harness.observer.errors).toEqual([]);
  });

  test('must not return a promise', async () => {
    await using harness = new Harness();
    await harness.synced();
    const predicate = (async () => Promise.reject(new Error('late'))) as unknown as () => boolean;
    await expect(harness.cache.waitFor(Thing, a, predicate)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'waitFor.predicate' },
    });
  });

  test('runs in the async context of the caller', async () => {
    await using harness = new Harness();
    await harness.synced();
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const waiting = context.run('caller', () =>
      harness.cache.waitFor(Thing, a, (thing) => {
        seen.push(context.getStore());
        return thing !== undefined;
      }),
    );
    context.run('another', () => harness.source.set('a'));
    await waiting;
    expect(seen).toEqual(['caller', 'caller']);
  });
});

describe('the limits of a wait', () => {
  stopTheClock();

  test('end it with the reason of the signal, and leave no listener and no timer', async () => {
    await using harness = new Harness();
    await harness.synced();
    const timers = jest.getTimerCount();
    const abort = new AbortController();
    const { signal } = abort;
    const limits = { signal, timeout: '1h' } as const;
    const waiting = harness.cache.waitFor(Thing, a, () => false, limits);
    const failing = harness.cache.waitFor(Thing, a, () => true, limits);
    await failing;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(timers + 1);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(jest.getTimerCount()).toBe(timers);
    const predicate = jest.fn(() => true);
    await expect(harness.cache.waitFor(Thing, a, predicate, { signal })).rejects.toThrow('enough');
    expect(predicate).not.toHaveBeenCalled();
  });

  test('end it with WAIT_TIMEOUT and the last state', async () => {
    await using harness = new Harness();
    const codes: unknown[] = [];
    const wait = (name: string): void => {
      harness.cache
        .waitFor(Thing, { ...a, name }, () => false, { timeout: '1s' })
        .catch(({ code, facts }: { code: string; facts: { seen: string } }) =>
          codes.push([code, facts.seen]),
        );
    };
    harness.source.set('a');
    harness.source.watchScripts.push(async function* hanging({ signal }) {
      yield { frames: [], receivedAt: 0 };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    harness.acquire();
    wait('a');
    await pass(1_000);
    await pass(60_000);
    wait('a');
    wait('b');
    await pass(1_000);
    expect(codes).toEqual([
      ['WAIT_TIMEOUT', 'not synced'],
      ['WAIT_TIMEOUT', '2'],
      ['WAIT_TIMEOUT', 'no object'],
    ]);
  });
});

describe('an ended wait', () => {
  test.each([
    ['a match', () => true, new AbortController()],
    ['an abort', () => false, new AbortController()],
  ])('reads no state after %s', async (_, predicate, abort) => {
    const waits = new ObjectWaits();
    const find = jest.fn(() => ({ object: undefined, transform: undefined }));
    const target = { resource: Thing, name: a, predicate, find, formOf: () => undefined };
    const waiting = waits.wait(target, { signal: abort.signal });
    abort.abort();
    await waiting.catch(() => undefined);
    find.mockClear();
    waits.changed();
    expect(find).not.toHaveBeenCalled();
  });
});

describe('the arguments of a wait', () => {
  test.each<[string, unknown, unknown]>([
    ['waitFor.predicate', 'x', {}],
    ['waitFor.unknown', () => true, { unknown: 1 }],
    ['waitFor.timeout', () => true, { timeout: 'soon' }],
    ['waitFor.signal', () => true, { signal: new AbortController() }],
    ['waitFor.projection', () => true, { projection: 'half' }],
    ['waitFor.transform', () => true, { transform: 1 }],
  ])('are checked: %s', async (option, predicate, options) => {
    await using harness = new Harness();
    await harness.synced();
    const wait = harness.cache.waitFor(Thing, a, predicate as () => boolean, options as object);
    await expect(wait).rejects.toMatchObject({ code: 'INVALID_OPTION', facts: { option } });
  });
});

/** Compiled only: the result has the type that the predicate proves. */
export async function types(cache: InformerCache): Promise<void> {
  const found = await cache.waitFor(Thing, a, (thing) => thing !== undefined);
  const value: number | undefined = found.spec?.value;
  const gone: undefined = await cache.waitFor(Thing, a, (thing) => thing === undefined);
  const either = await cache.waitFor(Thing, a, (thing) => thing?.spec?.value === value);
  // @ts-expect-error the object may be gone
  void either.spec;
  // @ts-expect-error an object of a cache is read only
  found.metadata.name = String(gone);
}
