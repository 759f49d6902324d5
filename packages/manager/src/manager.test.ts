import { once } from 'node:events';
import { createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createManager } from './controller-manager.ts';
import type { Controller } from './controller.ts';
import {
  eventually,
  gate,
  ManagerPool,
  objectOf,
  recordingLogger,
  running,
  silent,
  unusedClient,
  valueOf,
  WebApp,
  useFakeTime,
} from './fixtures.test-support.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Manager } from './manager.ts';
import { phases } from './phase.ts';

const { ConfigMap, Secret } = builtin;

const managers = new ManagerPool();

afterEach(async () => {
  jest.useRealTimers();
  await managers.stopAll();
});

const nothing = (): void => undefined;

async function statusOf(manager: Manager, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${manager.ports.health}${path}`);
  await response.text();
  return response.status;
}

describe('createManager', () => {
  test.each<[object, string]>([
    [{ metrics: 8080 }, 'createManager.metrics'],
    [{ gracePeriod: 'soon' }, 'createManager.gracePeriod'],
    [{ gracePeriod: -1 }, 'createManager.gracePeriod'],
    [{ servers: { metrics: 70_000 } }, 'createManager.servers.metrics'],
    [{ servers: { health: { port: '80' } } }, 'createManager.servers.health'],
    [{ servers: { debug: 1 } }, 'createManager.servers.debug'],
    [{ logger: { info: nothing } }, 'createManager.logger'],
    [{ controllers: { concurrency: 0 } }, 'createManager.controllers.concurrency'],
    [{ controllers: { timeout: '3 days' } }, 'createManager.controllers.timeout'],
    [{ controllers: { backoff: { start: 1 } } }, 'createManager.controllers.backoff.start'],
    [{ linger: 'long' }, 'createManager.linger'],
    [{ linger: 0, cache: {} }, 'createManager.linger'],
    [{ stopSignals: ['SIGKILL'] }, 'createManager.stopSignals'],
    [{ cluster: { server: 'http://a' }, kubeConfig: {} }, 'createManager.kubeConfig'],
    [{ cluster: 'http://a' }, 'createManager.cluster'],
    [{ leaderElection: { lease: 'x' } }, 'createManager.leaderElection'],
  ])('MG01 wrong options reject early and name the option: %j', (options, named) => {
    expect(() => createManager(options as ManagerOptions)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(named) as unknown,
      }),
    );
  });

  test('MG07 options are not mutated', async () => {
    const options: ManagerOptions = Object.freeze({
      client: unusedClient(),
      logger: silent,
      servers: Object.freeze({ metrics: 0 }),
      controllers: Object.freeze({ concurrency: 2 }),
      stopSignals: Object.freeze([]) as never,
    });
    const copy = structuredClone({ ...options, client: 0, logger: 0 });
    const manager = createManager(options);
    await manager.stop();
    expect({ ...options, client: 0, logger: 0 }).toEqual(copy);
  });
});

describe('addController', () => {
  const map = (): undefined => undefined;
  test.each<[object, string]>([
    [{ reconcile: nothing }, 'addController.name'],
    [{ name: 'a b', reconcile: nothing }, 'addController.name'],
    [{ name: 'a' }, 'addController.reconcile'],
    [{ name: 'a', reconcile: nothing, concurency: 4 }, 'addController.concurency'],
    [{ name: 'a', reconcile: nothing, concurrency: 1.5 }, 'addController.concurrency'],
    [{ name: 'a', reconcile: nothing, timeout: 'long' }, 'addController.timeout'],
    [
      { name: 'a', reconcile: nothing, initialPriority: Number.NaN },
      'addController.initialPriority',
    ],
    [{ name: 'a', reconcile: nothing, for: { resource: 'WebApp' } }, 'addController.for.resource'],
    [{ name: 'a', reconcile: nothing, for: { ...WebApp, plural: undefined } }, 'addController.for'],
    [{ name: 'a', reconcile: nothing, owns: [Secret] }, 'addController.owns'],
    [{ name: 'a', reconcile: nothing, for: WebApp, owns: Secret }, 'addController.owns'],
    [
      { name: 'a', reconcile: nothing, watches: [{ resource: Secret }] },
      'addController.watches[0].map',
    ],
    [
      { name: 'a', reconcile: nothing, watches: [{ resource: Secret, map, predicates: [1] }] },
      'addController.watches[0].predicates',
    ],
    [
      { name: 'a', reconcile: nothing, sources: [{ name: 's', requests: [] }] },
      'addController.sources[0].requests',
    ],
  ])(
    'CT29, CT33 name and reconcile are required, and option errors name the option: %#',
    (options, named) => {
      const { manager } = managers.make();
      expect(() => manager.addController(options as never)).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          message: expect.stringContaining(named) as unknown,
        }),
      );
    },
  );

  test('CT31 controller option beats manager option beats built-in, for every option', async () => {
    useFakeTime();
    const { manager, cache } = managers.make({
      controllers: {
        concurrency: 3,
        timeout: 3000,
        initialPriority: 3,
        cacheSyncTimeout: 3000,
        backoff: { base: 3000, max: 4000 },
      },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    interface Seen {
      priority: number;
      timedOutAt: number;
      runs: number[];
    }
    const observe = (name: string, own: object): Seen => {
      const seen: Seen = { priority: Number.NaN, timedOutAt: 0, runs: [] };
      manager.addController({
        name,
        for: WebApp,
        ...own,
        async reconcile(_request, { priority, signal, attempt }) {
          seen.priority = priority;
          seen.runs.push(Date.now() - begin);
          if (attempt > 1) return;
          await once(signal, 'abort');
          seen.timedOutAt = Date.now() - begin;
          throw new Error('again');
        },
      });
      return seen;
    };
    const begin = Date.now();
    const shared = observe('shared', {});
    const own = observe('own', {
      concurrency: 2,
      timeout: 2000,
      initialPriority: 2,
      backoff: { base: 2000 },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(shared).toEqual({ priority: 3, timedOutAt: 3000, runs: [0, 6000] });
    expect(own).toEqual({ priority: 2, timedOutAt: 2000, runs: [0, 4000] });
    const most = 'controller_runtime_max_concurrent_reconciles';
    expect(await valueOf(manager, most, { controller: 'shared' })).toBe(3);
    expect(await valueOf(manager, most, { controller: 'own' })).toBe(2);
    const { manager: plain } = managers.make();
    plain.addController({ name: 'plain', reconcile: nothing });
    expect(await valueOf(plain, most, { controller: 'plain' })).toBe(1);
  });

  test('CT31 cacheSyncTimeout: controller beats manager beats built-in', async () => {
    useFakeTime();
    const timeouts: [ManagerOptions['controllers'], object, number][] = [
      [{}, {}, 120_000],
      [{ cacheSyncTimeout: '3s' }, {}, 3000],
      [{ cacheSyncTimeout: '3s' }, { cacheSyncTimeout: '2s' }, 2000],
    ];
    for (const [shared = {}, own, timeout] of timeouts) {
      const { manager, cache } = managers.make({ controllers: shared });
      cache.syncsAtOnce = false;
      manager.addController({ name: 'a', for: WebApp, ...own, reconcile: nothing });
      let failed = false;
      manager.start().catch(() => (failed = true));
      // oxlint-disable-next-line no-await-in-loop
      await jest.advanceTimersByTimeAsync(timeout - 1);
      expect(failed).toBe(false);
      // oxlint-disable-next-line no-await-in-loop
      await jest.advanceTimersByTimeAsync(2);
      expect(failed).toBe(true);
    }
  });
});

describe('starting', () => {
  test('CT05, CT06 a required watch that cannot sync within cacheSyncTimeout rejects the start and names resource and reason', async () => {
    const { manager, cache } = managers.make();
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
    cache.setHealth(Secret, 'forbidden', 'secrets is forbidden');
    await expect(end).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: {
        controller: 'waits',
        source: 'watch Secret',
        resource: 'v1/secrets',
        state: 'forbidden',
        reason: 'secrets is forbidden',
        verb: 'list',
      },
    });
    await expect(manager.started).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    await expect(controller.synced).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
    expect(cache.handles.size).toBe(0);
  });

  test('CT07, MG07 an abort while watches sync is not an error: start settles', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    manager.addController({ name: 'waits', for: WebApp, reconcile: nothing });
    const abort = new AbortController();
    const end = manager.start({ signal: abort.signal });
    await eventually(() => cache.handles.size === 1);
    abort.abort();
    await end;
    await expect(manager.started).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
  });

  test('RC18 one forbidden kind: other kinds and their controllers run; readiness fails as long as it is required', async () => {
    const { manager, cache } = managers.make({
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
    cache.setHealth(Secret, 'parked', 'the kind is not served');
    expect(await statusOf(manager, '/readyz')).toBe(503);
  });

  test('MG09, MG18 caches are synced before anything else runs, and health is served before', async () => {
    const { manager, cache } = managers.make({
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
    expect(order).toEqual(['servers', 'caches', 'always', 'leader', 'reconcile']);
    expect(await statusOf(manager, '/readyz')).toBe(200);
  });

  test('MG06 a port in use rejects start() with the port', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const { manager } = managers.make({ servers: { metrics: { port, host: '127.0.0.1' } } });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      facts: { server: 'metrics', port },
    });
    blocker.close();
    await once(blocker, 'close');
  });

  test('MG20, CT14 a second start throws', async () => {
    const { manager } = managers.make();
    await running(manager);
    await expect(manager.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    await manager.stop();
    await expect(manager.start()).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
  });

  test('MG11, MG19 what is added while the manager runs starts at once', async () => {
    const { manager, cache } = managers.make();
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

  test('a controller that is added at run time and cannot sync ends alone', async () => {
    const { logger, lines } = recordingLogger();
    const { manager, cache } = managers.make({ logger });
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
});

describe('stopping', () => {
  test('MG10 a failing runnable stops the manager with its error', async () => {
    const { manager } = managers.make();
    const fail = gate();
    const error = new Error('the runnable broke');
    manager.addRunnable({
      name: 'breaks',
      async run() {
        await fail.opened;
        throw error;
      },
    });
    const end = manager.start();
    await manager.started;
    fail.open();
    await expect(end).rejects.toBe(error);
  });

  test('MG12 stop waits for all, and walks the phases backwards', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    const order: string[] = [];
    for (const phase of phases) {
      manager.addRunnable({
        name: phase,
        phase,
        async run({ signal }) {
          await once(signal, 'abort');
          await new Promise((resolve) => setImmediate(resolve));
          order.push(phase);
        },
      });
    }
    await running(manager);
    await manager.stop();
    expect(order).toEqual(phases.toReversed());
  });

  test('MG13 adding while the manager stops throws', async () => {
    const { manager } = managers.make();
    await running(manager);
    const stopped = manager.stop();
    await Promise.resolve();
    await stopped;
    const refused = expect.objectContaining({ code: 'MANAGER_STOPPED' });
    expect(() => manager.addRunnable({ name: 'late', run: nothing })).toThrow(refused);
    expect(() => manager.addController({ name: 'late', reconcile: nothing })).toThrow(refused);
  });

  test('MG14 an AbortError of ours is neither logged nor returned', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    manager.addRunnable({
      name: 'obeys',
      async run({ signal }) {
        await once(signal, 'abort');
        throw new DOMException('This operation was aborted', 'AbortError');
      },
    });
    manager.addRunnable({
      name: 'passes on',
      async run({ signal }) {
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    const end = manager.start();
    await manager.started;
    await manager.stop();
    await end;
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('MG16 grace 0 does not wait', async () => {
    const { manager } = managers.make({ gracePeriod: 0 });
    const end = gate();
    let signal: AbortSignal | undefined;
    const controller = manager.addController({
      name: 'stubborn',
      async reconcile(_request, context) {
        signal = context.signal;
        await end.opened;
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => controller.running === 1);
    await manager.stop();
    expect(signal?.aborted).toBe(true);
    expect(controller.running).toBe(1);
    end.open();
    await eventually(() => controller.running === 0);
  });

  test('MG26 running reconciles may finish within the grace, and no new one starts', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      async reconcile({ name }, { signal }) {
        await end.opened;
        seen.push(`${name} ${signal.aborted}`);
      },
    });
    const over = manager.start();
    await manager.started;
    controller.enqueue({ name: 'running' });
    controller.enqueue({ name: 'queued' });
    await eventually(() => controller.running === 1);
    const stopped = manager.stop();
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await stopped;
    await over;
    expect(seen).toEqual(['running false']);
  });

  test('MG26 running reconciles can read the cache to their end, also when the controller or a watch goes alone', async () => {
    const { manager, cache } = managers.make({ gracePeriod: '1h' });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const end = gate();
    const held: number[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        for: WebApp,
        async reconcile() {
          await end.opened;
          held.push([...cache.handles].filter(({ owner }) => owner.startsWith(name)).length);
        },
      });
    const alone = add('alone');
    const together = add('together');
    await running(manager);
    await eventually(() => alone.running + together.running === 2);
    const stops = [alone.stop(), manager.stop()];
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await Promise.all(stops);
    expect(held).toEqual([1, 1]);
    expect(cache.handles.size).toBe(0);
  });

  test('MG26 at the end of the grace the signals abort; what does not end is reported', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: '10s' });
    const never = gate();
    const aborted: string[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        async reconcile(_request, { signal }) {
          await once(signal, 'abort');
          aborted.push(`${name} ${(signal.reason as { code: string }).code}`);
          if (name === 'stubborn') await never.opened;
        },
      });
    const obeys = add('obeys');
    const stubborn = add('stubborn');
    const over = manager.start();
    over.catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    obeys.enqueue({ name: 'a' });
    stubborn.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    const stopped = manager.stop();
    await jest.advanceTimersByTimeAsync(9999);
    expect(aborted).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect(aborted).toEqual(['obeys STOPPING', 'stubborn STOPPING']);
    await jest.advanceTimersByTimeAsync(5000);
    await stopped;
    await expect(over).rejects.toMatchObject({
      code: 'STOP_DEADLINE_EXCEEDED',
      facts: { stillRunning: ['stubborn'] },
    });
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a reconcile may stop its manager, and its controller', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const stopsItself: Controller = manager.addController({
      name: 'stops-itself',
      reconcile: () => stopsItself.stop(),
    });
    const stopsAll: Controller = manager.addController({
      name: 'stops-all',
      reconcile: () => manager.stop(),
    });
    const end = manager.start();
    await manager.started;
    stopsItself.enqueue({ name: 'a' });
    await eventually(() => stopsItself.running === 0);
    stopsAll.enqueue({ name: 'a' });
    await end;
  });

  test('what a reconcile left behind may wait for the end of the manager', async () => {
    const { manager } = managers.make();
    const ended = gate();
    let stopped: Promise<string> | undefined;
    const controller = manager.addController({
      name: 'leaves-behind',
      reconcile() {
        stopped = ended.opened.then(async () => {
          await manager.stop();
          return order.join();
        });
      },
    });
    const order: string[] = [];
    const end = manager.start().then(() => order.push('end'));
    await manager.started;
    controller.enqueue({ name: 'a' });
    await eventually(() => stopped !== undefined && controller.running === 0);
    manager.addRunnable({
      name: 'slow',
      async run({ signal }) {
        await once(signal, 'abort');
        order.push('runnable');
      },
    });
    ended.open();
    expect(await stopped).toBe('runnable');
    await end;
  });

  test('CT30, MG21 a started and stopped manager leaves nothing behind; a controller never started leaves nothing', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const before = process.getActiveResourcesInfo();
    const { manager, cache } = managers.make({
      servers: { metrics: { port: 0, host: '127.0.0.1' } },
    });
    const controller = manager.addController({ name: 'a', for: WebApp, reconcile: nothing });
    expect(cache.handles.size).toBe(0);
    await running(manager);
    const { metrics: port } = manager.ports;
    controller.enqueue({ name: 'later' }, { after: '1h' });
    await manager.stop();
    // A closed server is listed until the event loop has turned.
    await new Promise((resolve) => setImmediate(resolve));
    const left = process.getActiveResourcesInfo();
    for (const resource of before) {
      if (left.includes(resource)) left.splice(left.indexOf(resource), 1);
    }
    expect(left).toEqual([]);
    expect(cache.handles.size).toBe(0);
    expect(cache.closed).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
    expect(await valueOf(manager, 'workqueue_depth', { controller: 'a' })).toBeUndefined();
  });
});

describe('MG26 signals of the process', () => {
  const program = fileURLToPath(new URL('signals.test-program.ts', import.meta.url));

  async function run(
    ...signals: NodeJS.Signals[]
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, ['--conditions=@keelson/source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString();
      if (output.endsWith('reconciling\n') || output.endsWith('stopping\n')) {
        const signal = signals.shift();
        if (signal !== undefined) child.kill(signal);
      }
    }
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, output };
  }

  test('SIGTERM with a running reconcile: it is aborted at the grace, and the exit code is 0', async () => {
    expect(await run('SIGTERM')).toEqual({ code: 0, output: 'reconciling\nstopping\nended\n' });
  });

  test('a second SIGTERM exits at once', async () => {
    expect(await run('SIGTERM', 'SIGTERM')).toEqual({ code: 1, output: 'reconciling\nstopping\n' });
  });
});
