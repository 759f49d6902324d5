import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { createClient, type Client } from '@keelson/client';
import { builtin, createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import { silent } from './testing/fixtures.test-support.ts';

const { ConfigMap, EventsV1Event, Lease, Secret } = builtin;
const metadata = { namespace: 'default', name: 'a' };

let environment: TestEnvironment;
let client: Client;
/** The seconds of virtual time at which something happened. */
let times: number[];
let startedAt: number;
const managers: Manager[] = [];

beforeEach(async () => {
  environment = await createTestEnvironment({ time: 'virtual' });
  client = createClient({ cluster: environment.admin.cluster });
  startedAt = environment.clock.now();
  times = [];
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await environment.stop();
});

function manage(options: ManagerOptions = {}): Manager {
  const { cluster } = environment.admin;
  const manager = createManager({
    cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
    ...options,
  });
  managers.push(manager);
  return manager;
}

function note(): void {
  times.push((environment.clock.now() - startedAt) / 1000);
}

describe('virtual time', () => {
  test('resolves at once in an environment without work', async () => {
    await environment.settled();
    await environment.advance('24h');
    expect(environment.clock.now() - startedAt).toBe(86_400_000);
  });

  test('settles after the reconciles of all events, of objects that reconciles write too', async () => {
    const manager = manage();
    manager.addController({
      name: 'copy',
      for: ConfigMap,
      reconcile: async ({ namespace, name }, context) => {
        await context.client.create(Secret, { metadata: { namespace, name } });
      },
    });
    const seen: string[] = [];
    manager.addController({
      name: 'secrets',
      for: Secret,
      reconcile: ({ name }) => void seen.push(name),
    });
    void manager.start();
    for (let n = 0; n < 20; n++) {
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: `m${n}` } });
    }
    await environment.settled();
    expect(seen).toHaveLength(20);
  });

  test('waits for real promises of a reconcile, and no time passes meanwhile', async () => {
    const manager = manage();
    manager.addController({
      name: 'real',
      for: ConfigMap,
      reconcile: async () => {
        await readFile(fileURLToPath(import.meta.url));
        await lookup('127.0.0.1');
        await new Promise((resolve) => setTimeout(resolve, 20));
        note();
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('1h');
    expect(times).toEqual([0]);
  });

  test('renews the Lease of a shard', async () => {
    const manager = manage({ sharding: { name: 'web', by: 'namespace', namespace: 'default' } });
    manager.addController({ name: 'sharded', for: ConfigMap, reconcile: note });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('1h');
    const { items } = await client.list(Lease, { namespace: 'default' });
    const renewed = items.map(({ spec }) => Date.parse(String(spec?.renewTime)));
    expect(renewed).toEqual([expect.any(Number)]);
    expect(environment.clock.now() - (renewed[0] ?? 0)).toBeLessThan(15_000);
    expect(times).toHaveLength(1);
  });

  test('dates what `explain` reports', async () => {
    const manager = manage();
    const controller = manager.addController({
      name: 'explained',
      for: { resource: ConfigMap, predicates: [({ object }) => object?.name === 'a'] },
      reconcile: () => ({ requeueAfter: '1h' }),
    });
    void manager.start();
    await environment.settled();
    await environment.advance('10m');
    await client.create(ConfigMap, { metadata });
    await client.create(ConfigMap, { metadata: { ...metadata, name: 'b' } });
    await environment.advance('30m');
    const at = (minutes: number): string => new Date(startedAt + minutes * 60_000).toISOString();
    const { events, runs, nextRun, obstacles } = controller.explain(metadata);
    expect([events, runs]).toMatchObject([[{ at: at(10) }], [{ at: at(10), decision: 'requeue' }]]);
    expect(nextRun).toBe(at(70));
    expect(obstacles).toMatchObject([{ code: 'delayed' }]);
    const { dropped } = controller.explain({ ...metadata, name: 'b' });
    expect(dropped).toMatchObject([{ at: at(10), reason: 'filtered' }]);
  });

  test('passes while a reconcile sleeps, and wakes it on time', async () => {
    const manager = manage();
    manager.addController({
      name: 'sleeper',
      for: ConfigMap,
      reconcile: async (_request, { sleep, clock }) => {
        expect(clock).toBe(environment.clock);
        note();
        await sleep('90s');
        note();
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('89s');
    expect(times).toEqual([0]);
    await environment.advance('1s');
    expect(times).toEqual([0, 90]);
  });

  test('aborts a reconcile at its timeout, and its sleep with it', async () => {
    const manager = manage();
    const reasons: unknown[] = [];
    manager.addController({
      name: 'slow',
      for: ConfigMap,
      timeout: '1m',
      maxAttempts: 1,
      reconcile: async (_request, { sleep, deadline }) => {
        expect(deadline).toBe(environment.clock.now() + 60_000);
        await sleep('1h').catch((error: unknown) => {
          note();
          reasons.push(error);
        });
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('2m');
    expect(times).toEqual([60]);
    expect(reasons).toEqual([expect.objectContaining({ code: 'RECONCILE_TIMEOUT' })]);
  });

  test('refuses an invalid sleep by its name', async () => {
    const manager = manage();
    const errors: unknown[] = [];
    manager.addController({
      name: 'wrong',
      for: ConfigMap,
      reconcile: async (_request, { sleep }) => {
        await sleep('soon' as never).catch((error: unknown) => errors.push(error));
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.settled();
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'sleep' }),
      }),
    ]);
  });

  test('debounces events by it', async () => {
    const manager = manage();
    manager.addController({
      name: 'debounced',
      for: { resource: ConfigMap, debounce: { wait: '10s', maxWait: '1m' } },
      reconcile: note,
    });
    void manager.start();
    await environment.settled();
    await client.create(ConfigMap, { metadata });
    await environment.advance('9s');
    await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { n: '1' } } });
    await environment.advance('9s');
    expect(times).toEqual([]);
    await environment.advance('1m');
    expect(times).toEqual([19]);
  });

  test('limits the rate of events by it', async () => {
    const manager = manage();
    manager.addController({
      name: 'limited',
      for: { resource: ConfigMap, eventRate: { burst: 2, perSecond: 0.1 } },
      reconcile: note,
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.settled();
    for (let n = 0; n < 5; n++) {
      const body = { data: { n: String(n) } };
      await client.patch(ConfigMap, metadata, { type: 'merge', body });
      await environment.advance('1s');
    }
    await environment.advance('1m');
    expect(times).toEqual([0, 0, 1, 10]);
  });

  test('limits by it how long a change waits for its watches', async () => {
    const manager = manage({ controllers: { cacheSyncTimeout: '1m' } });
    const controller = manager.addController({ name: 'late', reconcile: () => undefined });
    void manager.start();
    await environment.settled();
    await environment.controls?.stop('kube-apiserver');
    const changed = controller.reconfigure({ watches: [{ resource: Secret, map: () => [] }] });
    const failed = changed.catch((error: unknown) => {
      note();
      return error;
    });
    await environment.advance('2m');
    expect(await failed).toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    expect(times).toEqual([60]);
  });

  test('limits by it how long a removal waits for onWatchRemoved', async () => {
    const manager = manage();
    const controller = manager.addController({ name: 'removing', reconcile: () => undefined });
    void manager.start();
    await environment.settled();
    const endless = new Promise<void>(() => undefined);
    const watch = controller.watch({
      resource: Secret,
      map: () => [],
      onWatchRemoved: () => endless,
    });
    await environment.settled();
    void watch.remove().then(note);
    await environment.advance('29s');
    expect(times).toEqual([]);
    await environment.advance('1m');
    expect(times).toEqual([30]);
  });

  test('resyncs and repeats reconciles by it', async () => {
    const manager = manage();
    const rounds: string[] = [];
    manager.addController({
      name: 'resynced',
      for: { resource: ConfigMap, resync: '10m' },
      reconcile: () => void rounds.push('resync'),
    });
    manager.addController({
      name: 'repeated',
      for: ConfigMap,
      maxReconcileInterval: '10m',
      reconcile: () => void rounds.push('interval'),
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('5m');
    expect(rounds.toSorted()).toEqual(['interval', 'resync']);
    await environment.advance('6m');
    expect(rounds.toSorted()).toEqual(['interval', 'interval', 'resync', 'resync']);
  });

  test('ends the waits of a cache by it', async () => {
    const manager = manage();
    const results: unknown[] = [];
    manager.addController({
      name: 'waiting',
      for: ConfigMap,
      reads: [Secret],
      reconcile: async (_request, { cache, signal }) => {
        const options = { timeout: '30s', signal } as const;
        const isThere = (secret: unknown): boolean => secret !== undefined;
        await cache.waitFor(Secret, metadata, isThere, options).catch((error: unknown) => {
          note();
          results.push(error);
        });
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('29s');
    expect(times).toEqual([]);
    await environment.advance('1s');
    expect(times).toEqual([30]);
    expect(results).toEqual([expect.objectContaining({ code: 'WAIT_TIMEOUT' })]);
  });

  test('writes the repetitions of an event at the end of their interval', async () => {
    const manager = manage();
    manager.addController({
      name: 'recorder',
      for: ConfigMap,
      reconcile: ({ namespace, name }, { events }) => {
        const regarding = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } };
        events.record(regarding, { reason: 'Seen', action: 'Look', note: 'seen' });
        return { requeueAfter: '1s' };
      },
    });
    void manager.start();
    await client.create(ConfigMap, { metadata });
    await environment.advance('9s');
    const counts = async (): Promise<(number | undefined)[]> =>
      (await client.list(EventsV1Event)).items.map(({ series }) => series?.count);
    expect(await counts()).toEqual([2]);
    await environment.advance('3s');
    expect(await counts()).toEqual([12]);
  });

  test('follows watches that the server ends, and long outages', async () => {
    const manager = manage();
    manager.addController({ name: 'watching', for: ConfigMap, reconcile: note });
    void manager.start();
    await environment.advance('1h');
    await client.create(ConfigMap, { metadata });
    await environment.settled();
    expect(times).toEqual([3_600]);
    await environment.controls?.stop('kube-apiserver');
    await environment.advance('10m');
    await environment.controls?.start('kube-apiserver');
    await environment.advance('1m');
    await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { n: '1' } } });
    await environment.settled();
    expect(times.at(-1)).toBe(3_600 + 660);
  });

  test('reaches watches over HTTP/1.1 as over HTTP/2', async () => {
    const { cluster } = environment.admin;
    await using http1 = createClient({ cluster, http2: false });
    const manager = manage({ cluster: undefined as never, client: http1 });
    manager.addController({ name: 'watching', for: ConfigMap, reconcile: note });
    void manager.start();
    await environment.settled();
    for (let n = 0; n < 3; n++) {
      await environment.advance('45m');
      await client.create(ConfigMap, { metadata: { ...metadata, name: `m${n}` } });
    }
    await environment.settled();
    expect(times).toEqual([2_700, 5_400, 8_100]);
    await manager.stop();
  });

  test('names the reconcile that does not end', async () => {
    await environment.stop();
    environment = await createTestEnvironment({ time: { stallTimeout: '100ms' } });
    const manager = manage();
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const reconcile = (): Promise<void> => {
      begun.resolve();
      return end.promise;
    };
    manager.addController({ name: 'stuck', for: ConfigMap, reconcile });
    void manager.start();
    await manager.client.create(ConfigMap, { metadata });
    // Before, a busy machine may need longer for a request than work may stall.
    await Promise.all([manager.started, begun.promise]);
    await expect(environment.advance('1h')).rejects.toMatchObject({
      code: 'TIME_NOT_SETTLED',
      facts: { waitsFor: ['stuck reconciles default/a'] },
    });
    end.resolve();
    await environment.settled();
  });

  test('names two controllers that write in a circle', async () => {
    await environment.stop();
    environment = await createTestEnvironment({ time: { maxSteps: 2_000 } });
    const manager = manage();
    let n = 0;
    manager.addController({
      name: 'circle',
      for: { resource: ConfigMap, eventRate: false },
      reconcile: async (_request, context) => {
        n += 1;
        const body = { data: { n: String(n) } };
        await context.client.patch(ConfigMap, metadata, { type: 'merge', body });
      },
    });
    void manager.start();
    await manager.client.create(ConfigMap, { metadata });
    await expect(environment.settled()).rejects.toMatchObject({
      code: 'TIME_NOT_SETTLED',
      facts: { reason: 'too many steps at one time' },
    });
  });

  test('reaches runnables and the client of a given manager', async () => {
    const manager = manage({ cluster: undefined as never, client });
    manager.addRunnable({
      name: 'poller',
      run: async ({ clock, signal }) => {
        expect(clock).toBe(environment.clock);
        await new Promise<void>((resolve) => {
          const stop = clock.startTimer(60_000, () => {
            note();
            resolve();
          });
          signal.addEventListener('abort', stop);
        });
      },
    });
    void manager.start();
    await environment.advance('1m');
    expect(times).toEqual([60]);
  });

  test('repeats the times of a lease, of an outage and of resyncs with the same seed', async () => {
    const timesWith = async (seed: number): Promise<number[]> => {
      await using own = await createTestEnvironment({
        time: { seed, start: '2026-03-01T00:00:00Z' },
      });
      return await session(own);
    };
    const first = await timesWith(1);
    expect(first.length).toBeGreaterThan(11);
    expect(await timesWith(1)).toEqual(first);
    expect(await timesWith(2)).not.toEqual(first);
  });
});

/** The times at which a Lease was renewed, and at which an object ran in spite of an outage. */
async function session(own: TestEnvironment): Promise<number[]> {
  const seen: number[] = [];
  const manager = manage({
    cluster: own.admin.cluster,
    leaderElection: { lease: 'app', namespace: 'default', identity: 'one' },
  });
  manager.addController({
    name: 'seen',
    for: { resource: ConfigMap, resync: '2m' },
    reconcile: () => void seen.push(own.clock.now()),
  });
  void manager.start();
  await manager.client.create(ConfigMap, { metadata });
  for (let n = 0; n < 10; n++) {
    await own.advance('5s');
    const { spec } = await manager.client.get(Lease, { namespace: 'default', name: 'app' });
    seen.push(Date.parse(spec?.renewTime ?? ''));
  }
  await own.controls?.stop('kube-apiserver');
  await own.advance('5s');
  await own.controls?.start('kube-apiserver');
  await own.advance('5m');
  await manager.stop();
  return seen;
}
