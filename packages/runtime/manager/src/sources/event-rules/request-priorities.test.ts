import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { viewOf, type FakeCache } from '../../testing/fake-cache.test-support.ts';
import {
  eventually,
  managersOfTest,
  objectOf,
  running,
  toSelf,
  WebApp,
} from '../../testing/fixtures.test-support.ts';
import type { ControllerOptions } from '../../controller/controller-options.ts';
import type { SourceOptions } from '../source-options.ts';

const { Secret } = builtin;
const managers = managersOfTest();

const all = { initial: 1, resync: 2, change: 3, status: 4, deletion: 5 };

/** The priority of one event of each kind, in the order of the list of `RequestPriorities`. */
async function prioritiesOf(
  options: Partial<ControllerOptions<WebApp>>,
  source: Partial<SourceOptions<WebApp>> = {},
  controllers: object = {},
): Promise<Record<string, number | undefined>> {
  const { manager, cache } = managers.make({ controllers });
  const seen: number[] = [];
  manager.addController({
    name: 'noting',
    ...options,
    for: { resource: WebApp, ...source },
    reconcile: (_request, { priority }) => void seen.push(priority),
  });
  cache.set(WebApp, app(1, 'x'));
  await running(manager);
  const next = async (act: () => void): Promise<number | undefined> => {
    const { length } = seen;
    act();
    await eventually(() => seen.length > length);
    return seen.at(-1);
  };
  await eventually(() => seen.length > 0);
  return {
    initial: seen[0],
    resync: await next(() => resync(cache)),
    change: await next(() => cache.set(WebApp, app(2, 'x'))),
    status: await next(() => cache.set(WebApp, app(2, 'y'))),
    deleting: await next(() =>
      cache.set(WebApp, app(3, 'y', { deletionTimestamp: '2026-01-01T00:00:00Z' })),
    ),
    deleted: await next(() => cache.delete(WebApp, { namespace: 'default', name: 'a' })),
  };
}

function app(generation: number, image: string, metadata: object = {}): WebApp {
  return objectOf(WebApp, 'a', { spec: { image }, metadata: { generation, ...metadata } });
}

function resync(cache: FakeCache): void {
  const view = viewOf(app(1, 'x'));
  const { key } = view;
  cache.emit(WebApp, { type: 'updated', previous: view, object: view, key, receivedAt: 0 });
}

describe('the priorities of requests', () => {
  test('PQ30 by default initial objects and resyncs have −100, and other events 0', async () => {
    expect(await prioritiesOf({})).toEqual({
      initial: -100,
      resync: -100,
      change: 0,
      status: 0,
      deleting: 0,
      deleted: 0,
    });
  });

  test('PQ30 a controller chooses one for each kind of event', async () => {
    expect(await prioritiesOf({ priorities: all })).toEqual({
      initial: 1,
      resync: 2,
      change: 3,
      status: 4,
      deleting: 5,
      deleted: 5,
    });
  });

  test('updates of the status have the priority of changes by default', async () => {
    const { change, status, deleted } = await prioritiesOf({ priorities: { change: 7 } });
    expect([change, status, deleted]).toEqual([7, 7, 0]);
  });

  test('CT31 the source beats the controller, and the controller beats the manager', async () => {
    const seen = await prioritiesOf(
      { priorities: { change: 10, status: 20 } },
      { priorities: { status: 30 } },
      { priorities: { initial: 40, change: 50 } },
    );
    expect(seen).toMatchObject({ initial: 40, resync: -100, change: 10, status: 30, deleted: 0 });
  });

  test('a `priority` of the source applies to every kind of event that its `priorities` do not name', async () => {
    const source = { priority: 9, priorities: { deletion: 11 } };
    expect(await prioritiesOf({ priorities: all }, source)).toEqual({
      initial: 9,
      resync: 9,
      change: 9,
      status: 9,
      deleting: 11,
      deleted: 11,
    });
  });

  test('an update of a kind without a generation is a change', async () => {
    const { manager, cache } = managers.make();
    const seen: number[] = [];
    manager.addController({
      name: 'noting',
      watches: [{ resource: Secret, map: toSelf, priorities: { change: 1, status: 2 } }],
      reconcile: (_request, { priority }) => void seen.push(priority),
    });
    await running(manager);
    for (const at of [1, 2]) {
      cache.set(Secret, objectOf(Secret, 'a'));
      await eventually(() => seen.length === at);
    }
    expect(seen).toEqual([1, 1]);
  });
});
