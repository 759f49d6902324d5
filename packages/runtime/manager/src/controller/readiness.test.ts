import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  gate,
  ManagerPool,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  toSelf,
  valueOf,
  WebApp,
  type Gate,
} from '../testing/fixtures.test-support.ts';
import { LeaseClient } from '../testing/lease-client.test-support.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';

const { ConfigMap, Secret } = builtin;
const managers = managersOfTest();
const servers = { health: { port: 0, host: '127.0.0.1' } };

interface Ready {
  readonly status: number;
  readonly text: string;
}

async function readyOf(manager: Manager, query = '?verbose'): Promise<Ready> {
  const response = await fetch(`http://127.0.0.1:${manager.ports.health}/readyz${query}`);
  return { status: response.status, text: await response.text() };
}

const left = (count: number): Ready => ({
  status: 503,
  text: expect.stringContaining(`[-]reconciled failed: ${count} initial requests left\n`) as never,
});
const ready: Ready = { status: 200, text: expect.stringContaining('[+]reconciled ok') as never };

/** Runs that the test ends one by one, by the name of their request. */
class Runs {
  readonly #ends = new Map<string, Gate>();
  readonly seen: string[] = [];

  readonly reconcile = async ({ name }: { readonly name: string }): Promise<void> => {
    this.seen.push(name);
    const end = gate();
    this.#ends.set(name, end);
    await end.opened;
  };

  /** Ends the run of a request when it has begun. */
  async end(name: string): Promise<void> {
    await eventually(() => this.#ends.has(name));
    this.#ends.get(name)?.open();
    this.#ends.delete(name);
  }
}

interface World {
  readonly manager: Manager;
  readonly cache: FakeCache;
  readonly controller: Controller;
  readonly runs: Runs;
}

/** A started manager with three WebApps, which a controller with readiness `reconciled` reconciles one by one. */
async function worldOf(
  options: Partial<ControllerOptions<WebApp>> = {},
  managerOptions: ManagerOptions = {},
): Promise<World> {
  const { manager, cache } = managers.make({ servers, ...managerOptions });
  for (const name of ['a', 'b', 'c']) cache.set(WebApp, objectOf(WebApp, name));
  const runs = new Runs();
  const controller = manager.addController({
    name: 'policy',
    for: WebApp,
    readiness: 'reconciled',
    reconcile: runs.reconcile,
    ...options,
  });
  await running(manager);
  return { manager, cache, controller, runs };
}

describe('the readiness of a controller', () => {
  test('is by default its sync, whatever its requests do', async () => {
    const { manager, runs } = await worldOf({ readiness: 'synced' });
    expect(await readyOf(manager)).toEqual(ready);
    for (const name of ['a', 'b', 'c']) await runs.end(name);
  });

  test('waits until each initial request has run once, with the number that is left', async () => {
    const { manager, controller, runs } = await worldOf();
    expect(await readyOf(manager)).toEqual(left(3));
    expect(await valueOf(manager, 'keelson_initial_requests', { controller: 'policy' })).toBe(3);
    await runs.end('a');
    await eventually(() => runs.seen.includes('b'));
    expect(await readyOf(manager)).toEqual(left(2));
    expect((await readyOf(manager, '/reconciled')).text).toBe(
      '[-]reconciled failed: 2 initial requests left\n',
    );
    expect((await readyOf(manager, '?exclude=reconciled')).status).toBe(200);
    await runs.end('b');
    await runs.end('c');
    await eventually(() => controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
    expect(await valueOf(manager, 'keelson_initial_requests', { controller: 'policy' })).toBe(0);
  });

  test('does not wait for later requests', async () => {
    const { manager, cache, controller, runs } = await worldOf();
    for (const name of ['a', 'b', 'c']) await runs.end(name);
    await eventually(() => controller.running === 0);
    cache.set(WebApp, objectOf(WebApp, 'later'));
    controller.enqueue({ namespace: 'default', name: 'manual' });
    await controller.watch({ resource: Secret, map: toSelf, required: true }).synced;
    cache.set(Secret, objectOf(Secret, 's'));
    await eventually(() => runs.seen.includes('later'));
    expect(await readyOf(manager)).toEqual(ready);
    for (const name of ['later', 'manual', 's']) await runs.end(name);
  });

  test('waits for an initial request that is paused when it is due', async () => {
    const { manager, controller, runs } = await worldOf();
    controller.pause({ namespace: 'default', name: 'b' });
    await runs.end('a');
    await eventually(() => runs.seen.includes('c'));
    await runs.end('c');
    await eventually(() => controller.running === 0);
    expect(await readyOf(manager)).toEqual(left(1));
    controller.resume({ namespace: 'default', name: 'b' });
    await eventually(() => runs.seen.includes('b'));
    await runs.end('b');
    await eventually(() => controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('counts a failed run, and not the retry', async () => {
    const { manager, controller } = await worldOf({
      backoff: { base: '1h', max: '1h' },
      reconcile: () => Promise.reject(new Error('planned')),
    });
    await eventually(() => controller.length === 0 && controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('does not wait for requests that left the queue without a run', async () => {
    const { manager, cache } = managers.make({ servers });
    for (const [name, namespace] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
      ['d', 'z'],
    ] as const)
      cache.set(
        WebApp,
        objectOf(WebApp, name, { namespace, metadata: { labels: { color: name } } }),
      );
    cache.set(Secret, objectOf(Secret, 's'));
    const runs = new Runs();
    const controller = manager.addController({
      name: 'policy',
      for: WebApp,
      namespaces: ['x', 'y', 'z'],
      readiness: 'reconciled',
      reconcile: runs.reconcile,
    });
    const watch = controller.watch({ resource: Secret, namespace: 'default', map: toSelf });
    await running(manager);
    expect(await readyOf(manager)).toEqual(left(5));
    await eventually(() => runs.seen.length === 1);
    await watch.remove();
    expect(await readyOf(manager)).toEqual(left(4));
    await controller.setNamespaces(['x', 'z']);
    expect(await readyOf(manager)).toEqual(left(3));
    const change = controller.reconfigure({
      namespaces: ['x'],
      for: { resource: WebApp, labelSelector: 'color=a' },
    });
    await eventually(() => controller.length === 0);
    expect(await readyOf(manager)).toEqual(left(1));
    await runs.end('a');
    await change;
    await eventually(() => controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('counts the run of a request whose object was deleted before', async () => {
    const { manager, cache, controller, runs } = await worldOf();
    await eventually(() => runs.seen.length === 1);
    for (const name of ['b', 'c']) cache.delete(WebApp, { namespace: 'default', name });
    expect(await readyOf(manager)).toEqual(left(3));
    for (const name of ['a', 'b', 'c']) await runs.end(name);
    await eventually(() => controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('does not wait for a delayed request of user code', async () => {
    const { manager, cache } = managers.make({ servers });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const controller = manager.addController({
      name: 'policy',
      for: WebApp,
      readiness: 'reconciled',
      reconcile: nothing,
    });
    controller.enqueue({ namespace: 'default', name: 'later' }, { after: '1h' });
    await running(manager);
    await eventually(() => controller.length === 0 && controller.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('is that of all controllers together, also of one that is added later, and not of a stopped one', async () => {
    const { manager, cache, controller, runs } = await worldOf();
    cache.set(ConfigMap, objectOf(ConfigMap, 'd'));
    const others = new Runs();
    const other = manager.addController({
      name: 'other',
      for: ConfigMap,
      readiness: 'reconciled',
      reconcile: others.reconcile,
    });
    await eventually(() => others.seen.length === 1);
    expect(await readyOf(manager)).toEqual(left(4));
    const stopped = controller.stop();
    await eventually(() => runs.seen.length === 1);
    await runs.end('a');
    await stopped;
    expect(await readyOf(manager)).toEqual(left(1));
    await others.end('d');
    await eventually(() => other.running === 0);
    expect(await readyOf(manager)).toEqual(ready);
  });

  test('of a pulled controller waits for the loops', async () => {
    const { manager, cache } = managers.make({ servers });
    for (const name of ['a', 'b']) cache.set(WebApp, objectOf(WebApp, name));
    const controller = manager.addPulledController({
      name: 'pulled',
      for: WebApp,
      readiness: 'reconciled',
    });
    await running(manager);
    expect(await readyOf(manager)).toEqual(left(2));
    const loop = controller.work();
    await loop.next();
    expect(await readyOf(manager)).toEqual(left(2));
    await loop.next();
    expect(await readyOf(manager)).toEqual(left(1));
    await loop.return();
  });

  test('MG18 is its sync in a standby, and after the takeover its first pass', async () => {
    const leases = new LeaseClient();
    const election = { lease: 'policy', namespace: 'default', retryPeriod: 20 };
    const make = (identity: string): World => {
      const { manager, cache } = managers.make({
        servers,
        client: leases.client,
        leaderElection: { ...election, identity },
      });
      cache.set(WebApp, objectOf(WebApp, 'a'));
      const runs = new Runs();
      const controller = manager.addController({
        name: 'policy',
        for: WebApp,
        readiness: 'reconciled',
        reconcile: runs.reconcile,
      });
      return { manager, cache, controller, runs };
    };
    const leader = make('one');
    await running(leader.manager);
    await leader.runs.end('a');
    const standby = make('two');
    standby.manager.start().catch(nothing);
    await eventually(() => standby.manager.ports.health !== undefined);
    await standby.controller.synced;
    await eventually(async () => (await readyOf(standby.manager)).status === 200);
    expect(standby.controller.length).toBe(1);
    expect(await readyOf(standby.manager)).toEqual(ready);
    await leader.manager.stop();
    await standby.manager.started;
    expect(await readyOf(standby.manager)).toEqual(left(1));
    await standby.runs.end('a');
    await eventually(() => standby.controller.running === 0);
    expect(await readyOf(standby.manager)).toEqual(ready);
  });

  test('is logged once with the controller, and not for each probe', async () => {
    const { logger, lines } = recordingLogger();
    const { manager, runs } = await worldOf({}, { logger });
    await readyOf(manager);
    await runs.end('a');
    await eventually(() => runs.seen.length === 2);
    await readyOf(manager);
    const failures = lines.filter(({ message }) => message === 'check failed');
    expect(failures).toMatchObject([{ check: 'reconciled', err: { code: 'NOT_RECONCILED' } }]);
    for (const name of ['b', 'c']) await runs.end(name);
  });

  test.each([null, 'live', true, 5])('of the value %p throws at the call', (readiness) => {
    const { manager } = managers.make();
    const options = { name: 'policy', for: WebApp, readiness, reconcile: nothing } as never;
    expect(() => manager.addController(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'addController.readiness' }),
      }),
    );
  });

  test('cannot change in a live controller', async () => {
    const { controller, runs } = await worldOf();
    await expect(controller.reconfigure({ readiness: 'synced' } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'reconfigure.readiness' },
    });
    for (const name of ['a', 'b', 'c']) await runs.end(name);
  });
});

const names = ['a', 'b', 'c', 'd'] as const;
const spaces = ['x', 'y'] as const;
const step = fc.record({
  does: fc.constantFrom(
    'set',
    'delete',
    'end',
    'fail',
    'turn',
    'remove',
    'namespaces',
    'reconfigure',
    'start',
    'enqueue',
  ),
  name: fc.constantFrom(...names),
  space: fc.constantFrom(...spaces),
});

describe('the first pass', () => {
  test('ends with the last initial request that is queued, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const pool = new ManagerPool();
        try {
          const { manager, cache } = pool.make({ servers });
          for (const namespace of spaces)
            for (const name of names)
              cache.set(
                WebApp,
                objectOf(WebApp, name, { namespace, metadata: { labels: { name } } }),
              );
          cache.set(Secret, objectOf(Secret, 'a', { namespace: 'x' }));
          const open: { end: (error?: Error) => void }[] = [];
          const ran = new Set<string>();
          const controller = manager.addController({
            name: 'policy',
            for: WebApp,
            namespaces: ['x', 'y'],
            backoff: { base: 1, max: 1 },
            readiness: 'reconciled',
            reconcile: ({ namespace, name }) => {
              const { promise, resolve, reject } = Promise.withResolvers<void>();
              open.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
              return promise.finally(() => ran.add(`${namespace}/${name}`));
            },
          });
          const watch = controller.watch({
            resource: Secret,
            namespace: 'x',
            map: ({ namespace, name }) => ({ namespace, name }),
          });
          const started = running(manager);
          const pending: Promise<unknown>[] = [];
          for (const { does, name, space } of steps) {
            if (does === 'set')
              cache.set(
                WebApp,
                objectOf(WebApp, name, { namespace: space, metadata: { labels: { name } } }),
              );
            else if (does === 'delete') cache.delete(WebApp, { namespace: space, name });
            else if (does === 'end') open.shift()?.end();
            else if (does === 'fail') open.shift()?.end(new Error('planned'));
            else if (does === 'remove') pending.push(watch.remove());
            else if (does === 'namespaces') pending.push(controller.setNamespaces([space]));
            else if (does === 'reconfigure')
              pending.push(
                controller.reconfigure({
                  for: { resource: WebApp, labelSelector: `name!=${name}` },
                }),
              );
            else if (does === 'enqueue') controller.enqueue({ namespace: space, name });
            else if (does === 'start') await started;
            else await new Promise((resolve) => setImmediate(resolve));
          }
          await started;
          let isOver = false;
          void Promise.allSettled(pending).then(() => (isOver = true));
          // No request waits any more than for its runs, so readiness comes without new events.
          await eventually(async () => {
            for (const { end } of open.splice(0)) end();
            return isOver && controller.length === 0 && controller.running === 0;
          });
          expect((await readyOf(manager)).status).toBe(200);
          expect(await valueOf(manager, 'keelson_initial_requests', { controller: 'policy' })).toBe(
            0,
          );
        } finally {
          await pool.stopAll();
        }
      }),
      { numRuns: 30 },
    );
  }, 120_000);
});
