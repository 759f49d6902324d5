import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { loadCluster, type Client } from '@keelson/client';
import { createManager } from './controller-manager.ts';
import { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  silent,
  unusedClient,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { LeaseClient } from '../testing/lease-client.test-support.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Manager } from './manager.ts';
import { phases } from '../phases/phase.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

async function statusOf(manager: Manager, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${manager.ports.health}${path}`);
  await response.text();
  return response.status;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What differs between both runs of the suite. */
interface Election {
  /** The options that each manager gets first. */
  readonly options: () => ManagerOptions;
  /** The holder of the Lease while a manager runs. */
  readonly holder: () => unknown;
}

const withoutElection = (): Election => ({ options: () => ({}), holder: () => undefined });

function withElection(): Election {
  const leases = new LeaseClient();
  const leaderElection = { lease: 'start', namespace: 'default', identity: 'one' };
  return {
    options: () => ({ client: leases.client, leaderElection }),
    holder: () => leases.lease?.spec?.holderIdentity,
  };
}

describe.each([
  ['without leader election', withoutElection],
  ['with leader election', withElection],
])('starting %s', (mode, electionOf) => {
  let election: Election;
  beforeEach(() => {
    election = electionOf();
  });
  const make = (options: ManagerOptions = {}): ReturnType<typeof managers.make> =>
    managers.make({ ...election.options(), ...options });

  test('an invalid signal throws with its name, and the manager can be stopped', async () => {
    const { manager } = make();
    const signal = new AbortController() as unknown as AbortSignal;
    await expect(manager.start({ signal })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'start.signal' },
    });
    await manager.stop();
  });

  test('CT05, CT06 a required watch that exceeds cacheSyncTimeout rejects the start with resource and reason', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    const controller = manager.addController({
      name: 'waits',
      for: WebApp,
      watches: [{ resource: Secret, map: () => undefined }],
      cacheSyncTimeout: 30,
      reconcile: nothing,
    });
    const end = manager.start();
    end.catch(nothing);
    await eventually(() => cache.handles.size === 2);
    cache.sync(WebApp);
    cache.setHealth(Secret, 'backing-off', 'connection refused');
    await jest.advanceTimersByTimeAsync(30);
    await expect(end).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: {
        controller: 'waits',
        source: 'watch Secret',
        resource: 'v1/secrets',
        state: 'backing-off',
        reason: 'connection refused',
      },
    });
    await expect(manager.started).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    await expect(end).rejects.not.toHaveProperty('facts.others');
    await expect(controller.synced).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    expect(cache.handles.size).toBe(0);
  });

  test('CT06 the error of a sync timeout names the other watches that have not synced', async () => {
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    manager.addController({
      name: 'waits',
      for: WebApp,
      reads: [Secret, ConfigMap],
      cacheSyncTimeout: 30,
      reconcile: nothing,
    });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: {
        source: 'for WebApp',
        others: ['v1/secrets', 'v1/configmaps'],
        timeout: 30,
      },
    });
  });

  test.each([0, 1])(
    'the last line of a manager has the number of its failures: %i',
    async (failures) => {
      const { logger, lines } = recordingLogger();
      const { manager } = make({ logger });
      const ended = manager.start().catch(() => undefined);
      await manager.started;
      if (failures > 0)
        manager.addRunnable({ name: 'fails', run: () => Promise.reject(new Error()) });
      else await manager.stop();
      await ended;
      expect(lines.at(-1)).toMatchObject({ message: 'manager stopped', level: 'info', failures });
    },
  );

  test('a stop while start loads the cluster starts no phase', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-'));
    const [file, other] = [join(folder, 'pipe'), join(folder, 'other')];
    // A read of a pipe waits for its writer.
    execFileSync('mkfifo', [file]);
    const { logger, lines } = recordingLogger();
    const cache = new FakeCache();
    const { client: _, ...rest } = election.options();
    const manager = createManager({
      ...rest,
      kubeConfig: { file },
      cache,
      logger,
      stopSignals: [],
      servers: { health: { port: 0, host: '127.0.0.1' } },
    });
    manager.addController({ name: 'idle', for: WebApp, reconcile: nothing });
    const begun: string[] = [];
    for (const phase of phases) {
      manager.addRunnable({ name: phase, phase, run: () => void begun.push(phase) });
    }
    const end = manager.start();
    const stopped = manager.stop();
    await turns(20);
    for (const target of [file, other]) await writeFile(target, kubeConfigOf('http://127.0.0.1:1'));
    await Promise.all([end, stopped]);
    // Takes at least as long as the pending read of the manager.
    await loadCluster({ file: other });
    await turns(20);
    expect({ begun, acquired: cache.acquired, ...manager.ports }).toEqual({
      begun: [],
      acquired: [],
      metrics: undefined,
      health: undefined,
    });
    expect(lines.map(({ message }) => message)).toEqual(['manager stopped']);
    await expect(manager.start()).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
    await rm(folder, { recursive: true });
  });

  test('no reconcile begins before the kinds of `reads` have synced, unless they are optional', async () => {
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    const seen: string[] = [];
    manager.addController({
      name: 'reader',
      for: WebApp,
      reads: [Secret, { resource: ConfigMap, required: false }],
      reconcile: ({ name }) => void seen.push(name),
    });
    void manager.start();
    await eventually(() => cache.handles.size === 3);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.sync(WebApp);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
    cache.sync(Secret);
    await eventually(() => seen.length === 1);
    expect(cache.handlers).toBe(1);
  });

  test('CT07, MG07 start resolves after an abort while watches sync', async () => {
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    manager.addController({ name: 'waits', for: WebApp, reconcile: nothing });
    const begun: string[] = [];
    for (const phase of phases) {
      manager.addRunnable({ name: phase, phase, run: () => void begun.push(phase) });
    }
    const abort = new AbortController();
    const end = manager.start({ signal: abort.signal });
    await eventually(() => cache.handles.size === 1);
    abort.abort();
    await end;
    expect(begun).toEqual(['servers']);
    await expect(manager.started).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
  });

  test('RC18 a required forbidden kind fails readiness and does not stop controllers of other kinds', async () => {
    const { manager, cache } = make({
      servers: { health: { port: 0, host: '127.0.0.1' } },
    });
    cache.syncsAtOnce = false;
    const seen: string[] = [];
    const reconcile = ({ name }: { readonly name: string }): void => void seen.push(name);
    manager.addController({ name: 'good', for: WebApp, reconcile });
    const blocked = manager.addController({ name: 'blocked', for: Secret, reconcile });
    manager.addController({
      name: 'optional',
      watches: [{ resource: ConfigMap, required: false, map: () => undefined }],
      reconcile,
    });
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size === 3);
    cache.sync(WebApp);
    cache.setHealth(Secret, 'forbidden', 'secrets is forbidden');
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['a']);
    expect(await statusOf(manager, '/readyz/caches')).toBe(503);
    expect(await statusOf(manager, '/readyz/manager')).toBe(200);
    expect(await statusOf(manager, '/healthz')).toBe(200);
    cache.sync(Secret);
    await blocked.synced;
    expect(await statusOf(manager, '/readyz')).toBe(200);
    cache.set(Secret, objectOf(Secret, 's'));
    await eventually(() => seen.length === 2);
    cache.setHealth(Secret, 'syncing', 'reading the whole state again (expired)');
    expect(await statusOf(manager, '/readyz')).toBe(200);
    cache.setHealth(Secret, 'parked', 'the kind is not served');
    expect(await statusOf(manager, '/readyz')).toBe(503);
  });

  test.each(['forbidden', 'parked', 'over-budget'] as const)(
    'RC18 a required kind that stays %s delays its controller and does not stop the manager',
    async (state) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
      const { manager, cache } = make();
      cache.syncsAtOnce = false;
      manager.addController({ name: 'good', for: WebApp, reconcile: nothing });
      const cacheSyncTimeout = '1m';
      const blocked = manager.addController({
        name: 'blocked',
        for: Secret,
        cacheSyncTimeout,
        reconcile: nothing,
      });
      const end = manager.start();
      end.catch(nothing);
      await eventually(() => cache.handles.size === 2);
      cache.sync(WebApp);
      cache.setHealth(Secret, state, 'blocked for now');
      await jest.advanceTimersByTimeAsync(10 * 60_000);
      cache.setHealth(Secret, 'syncing', 'reading the initial state');
      cache.sync(Secret);
      await blocked.synced;
      await manager.started;
    },
  );

  test.each(['forbidden', 'parked', 'over-budget'] as const)(
    'CT05 cacheSyncTimeout does not count the time in which a kind is %s',
    async (state) => {
      useFakeTime({ setImmediate: true });
      const { manager, cache } = make();
      cache.syncsAtOnce = false;
      manager.addController({
        name: 'waits',
        for: WebApp,
        reads: [Secret, ConfigMap],
        cacheSyncTimeout: '100s',
        reconcile: nothing,
      });
      const end = manager.start();
      const outcome = jest.fn<(error: unknown) => void>();
      end.catch(outcome);
      await eventually(() => cache.handles.size === 3);
      cache.sync(WebApp);
      cache.setHealth(Secret, state, 'blocked');
      cache.setHealth(ConfigMap, state, 'blocked');
      await jest.advanceTimersByTimeAsync(95_000);
      cache.setHealth(Secret, 'backing-off', 'connection refused');
      await jest.advanceTimersByTimeAsync(99_000);
      expect(outcome).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(20_000);
      expect(outcome).toHaveBeenCalledTimes(1);
      await expect(end).rejects.toMatchObject({
        code: 'CACHE_SYNC_TIMEOUT',
        facts: { resource: 'v1/secrets', others: ['v1/configmaps'] },
      });
    },
  );

  test('CT05 a watch that is slow beside a forbidden one exceeds cacheSyncTimeout on time', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    manager.addController({
      name: 'waits',
      for: WebApp,
      reads: [Secret],
      cacheSyncTimeout: '100s',
      reconcile: nothing,
    });
    const end = manager.start();
    const outcome = jest.fn<(error: unknown) => void>();
    end.catch(outcome);
    await eventually(() => cache.handles.size === 2);
    cache.setHealth(WebApp, 'forbidden', 'no rights');
    await jest.advanceTimersByTimeAsync(99_000);
    expect(outcome).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(outcome).toHaveBeenCalledTimes(1);
    await expect(end).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: { resource: 'v1/secrets', others: [expect.stringContaining('webapps')] },
    });
  });

  test.each([
    ['parked', 'warn'],
    ['backing-off', 'warn'],
    ['syncing', 'info'],
  ] as const)(
    'a controller that waits for a required watch in the state %s logs it once, at level %s',
    async (state, level) => {
      useFakeTime();
      const { logger, lines } = recordingLogger();
      const { manager, cache } = make({ logger });
      cache.syncsAtOnce = false;
      manager.addController({ name: 'waits', for: Secret, reconcile: nothing });
      manager.start().catch(nothing);
      const logged = (): unknown[] =>
        lines.filter(({ message }) => message === 'controller waits for a watch');
      await jest.advanceTimersByTimeAsync(2999);
      cache.setHealth(Secret, state, 'for a reason');
      expect(logged()).toEqual([]);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(logged()).toEqual([
        expect.objectContaining({
          level,
          controller: 'waits',
          source: 'for Secret',
          resource: 'v1/secrets',
          state,
          reason: 'for a reason',
          others: 0,
        }),
      ]);
    },
  );

  test('MG09, MG18 caches sync before runnables and reconciles start, and health is served before', async () => {
    const { manager, cache } = make({
      servers: { health: { port: 0, host: '127.0.0.1' } },
    });
    cache.syncsAtOnce = false;
    const order: string[] = [];
    manager.addController({
      name: 'first',
      for: WebApp,
      reconcile: () => void order.push('reconcile'),
    });
    for (const phase of phases) {
      manager.addRunnable({ name: phase, phase, run: () => void order.push(phase) });
    }
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size === 1);
    expect(order).toEqual(['servers']);
    expect(await statusOf(manager, '/healthz')).toBe(200);
    expect(await statusOf(manager, '/readyz')).toBe(503);
    expect(order).toEqual(['servers']);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.sync(WebApp);
    await manager.started;
    await eventually(() => order.includes('reconcile'));
    expect(order).toEqual(['servers', 'caches', 'always', 'shards', 'leader', 'reconcile']);
    expect(await statusOf(manager, '/readyz')).toBe(200);
  });

  test('MG25 start runs the leader phase after the Lease is taken, if there is one, and a stop frees it', async () => {
    const { manager } = make();
    const holder = mode === 'with leader election' ? 'one' : undefined;
    const seen: unknown[] = [];
    manager.addRunnable({ name: 'leads', run: () => void seen.push(election.holder()) });
    await running(manager);
    expect([seen, manager.isLeader]).toEqual([[holder], true]);
    await manager.stop();
    expect([election.holder(), manager.isLeader]).toEqual([undefined, false]);
  });

  test('MG06 a port in use rejects start() with the port', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const { manager } = make({ servers: { metrics: { port, host: '127.0.0.1' } } });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      facts: { server: 'metrics', port },
    });
    blocker.close();
    await once(blocker, 'close');
  });

  test('MG20, CT14 a second start throws', async () => {
    const { manager } = make();
    await running(manager);
    await expect(manager.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    await manager.stop();
    await expect(manager.start()).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
  });

  test('MG11, MG19 controllers and runnables that are added to a running manager start at once', async () => {
    const { manager, cache } = make();
    await running(manager);
    const order: string[] = [];
    for (const phase of phases) {
      manager.addRunnable({ name: phase, phase, run: () => void order.push(phase) });
    }
    expect(order).toEqual([...phases]);
    const seen: string[] = [];
    const late = manager.addController({
      name: 'late',
      for: WebApp,
      reconcile: ({ name }) => void seen.push(name),
    });
    await late.synced;
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
  });

  test('a stop of a controller rejects its synced with the name of the controller', async () => {
    const { manager, cache } = make();
    cache.syncsAtOnce = false;
    const waits = manager.addController({ name: 'waits', for: WebApp, reconcile: nothing });
    const synced = waits.synced.catch((error: unknown) => error);
    await waits.stop();
    expect(await synced).toMatchObject({
      code: 'CONTROLLER_STOPPED',
      facts: { controller: 'waits' },
    });
  });

  test('a controller that is added at run time and cannot sync stops without the manager', async () => {
    const { logger, lines } = recordingLogger();
    const { manager, cache } = make({ logger });
    await running(manager);
    cache.syncsAtOnce = false;
    const reconcile = nothing;
    const late = manager.addController({
      name: 'late',
      for: WebApp,
      cacheSyncTimeout: 5,
      reconcile,
    });
    await expect(late.synced).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    await eventually(() => cache.handles.size === 0);
    expect(lines.map((line) => line['message'])).toContain('controller did not start');
    expect(manager.addController({ name: 'late', reconcile }).name).toBe('late');
  });

  test('apiClient passes the constructor of a typed API to the client', async () => {
    const asked: unknown[] = [];
    const fake: Client = Object.assign(Object.create(unusedClient()) as Client, {
      withWriteObserver: () => fake,
      apiClient: (constructor: unknown) => Promise.resolve(asked.push(constructor)),
    });
    const manager = createManager({
      client: fake,
      logger: silent,
      stopSignals: [],
    });
    class CoreV1Api {
      list(): void {}
    }
    await manager.apiClient(CoreV1Api);
    expect(asked).toEqual([CoreV1Api]);
    await manager.stop();
  });
});

function kubeConfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'test', user: {} }],
  });
}
