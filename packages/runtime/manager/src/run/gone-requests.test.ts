import { afterEach, expect, jest, test } from '@jest/globals';
import { builtin, type ObjectName } from '@keelson/apimachinery';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { GoneRequests } from './gone-requests.ts';

const managers = managersOfTest();
const MINUTE = 60_000;

afterEach(() => void jest.restoreAllMocks());

const nameOf = (name: string): ObjectName => ({ namespace: 'default', name });

/** Replaces the monotonic clock. Returns a function that moves it. */
function clock(): (ms: number) => void {
  let offset = 0;
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + offset);
  return (ms) => void (offset += ms);
}

test('requests are purged ten minutes after the last deletion of their object', () => {
  const advance = clock();
  const purged: string[] = [];
  const keys = ['a', 'b', 'c'];
  const gone = new GoneRequests((isOld) => purged.push(...keys.filter((key) => isOld(key))));
  gone.add('a');
  gone.add('b');
  advance(9 * MINUTE);
  gone.add('a');
  expect(purged).toEqual([]);
  advance(1.1 * MINUTE);
  gone.add('c');
  expect(purged).toEqual(['b']);
  advance(10 * MINUTE);
  gone.add('b');
  expect(purged).toEqual(['b', 'a', 'c']);
});

test('MG22 the queue of waiting workers keeps the requests of objects that exist and of late deletions', async () => {
  const advance = clock();
  const { manager, cache } = managers.make();
  cache.syncsAtOnce = false;
  const seen: string[] = [];
  const note = ({ name }: ObjectName): void => void seen.push(name);
  const controller = manager.addController({ name: 'noting', for: WebApp, reconcile: note });
  // Its workers wait for the caches of all controllers.
  manager.addController({ name: 'late', for: builtin.Secret, reconcile: nothing });
  manager.start().catch(nothing);
  await eventually(() => cache.handles.size === 2);
  cache.sync(WebApp);
  const names = ['stays', 'gone', 'returns', 'late', 'again'];
  for (const name of names) cache.set(WebApp, objectOf(WebApp, name));
  controller.enqueue(nameOf('never-existed'));
  for (const name of ['gone', 'returns', 'again']) cache.delete(WebApp, nameOf(name));
  cache.set(WebApp, objectOf(WebApp, 'returns'));
  expect(controller.length).toBe(6);
  advance(11 * MINUTE);
  for (const name of ['late', 'again']) {
    cache.set(WebApp, objectOf(WebApp, name));
    cache.delete(WebApp, nameOf(name));
  }
  expect(controller.length).toBe(5);
  const { events, text } = controller.explain(nameOf('gone'));
  expect(events).toMatchObject([
    { reason: 'deleted', decision: 'purged', purgedFor: 'object-gone' },
    { reason: 'added', decision: 'purged' },
  ]);
  expect(text).toContain('its object was deleted before the workers started');
  cache.sync(builtin.Secret);
  await eventually(() => seen.length === 5);
  expect(seen.toSorted()).toEqual(['again', 'late', 'never-existed', 'returns', 'stays']);
});

test('MG22 waiting workers keep the values of sources and the enqueued requests of deleted objects', async () => {
  const advance = clock();
  const { manager, cache } = managers.make();
  cache.syncsAtOnce = false;
  const seen: string[] = [];
  const given = gate();
  async function* requests(): AsyncGenerator<ObjectName> {
    await given.opened;
    yield nameOf('value');
  }
  const controller = manager.addController({
    name: 'fed',
    for: WebApp,
    reads: [builtin.Secret],
    sources: [{ name: 'queue', phase: 'caches', requests }],
    reconcile: ({ name }, { causes }) =>
      void seen.push([name, ...causes.map(({ reason }) => reason)].join(' ')),
  });
  manager.start().catch(nothing);
  await eventually(() => cache.handles.size === 2);
  cache.sync(WebApp);
  for (const name of ['value', 'enqueued', 'gone']) {
    cache.set(WebApp, objectOf(WebApp, name));
    cache.delete(WebApp, nameOf(name));
  }
  advance(9.9 * MINUTE);
  given.open();
  controller.enqueue(nameOf('enqueued'));
  const reasons = (): unknown[] =>
    controller.explain(nameOf('value')).events.map(({ reason }) => reason);
  await eventually(() => reasons().includes('value'));
  advance(11 * MINUTE);
  cache.set(WebApp, objectOf(WebApp, 'late'));
  cache.delete(WebApp, nameOf('late'));
  expect(controller.explain(nameOf('gone')).state).toBe('idle');
  cache.sync(builtin.Secret);
  await eventually(() => seen.length === 3);
  expect(seen.toSorted()).toEqual([
    'enqueued added deleted manual',
    'late added deleted',
    'value added deleted value',
  ]);
});
