import { once } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createManager } from './controller-manager.ts';
import {
  managersOfTest,
  nothing,
  objectOf,
  silent,
  unusedClient,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { ManagerOptions } from './manager-options.ts';

const { Secret } = builtin;

const managers = managersOfTest();

describe('createManager', () => {
  test.each<[object, string]>([
    [{ metrics: 8080 }, 'createManager.metrics'],
    [{ gracePeriod: 'soon' }, 'createManager.gracePeriod'],
    [{ gracePeriod: -1 }, 'createManager.gracePeriod'],
    [{ servers: { metrics: 70_000 } }, 'createManager.servers.metrics'],
    [{ servers: { health: { port: '80' } } }, 'createManager.servers.health.port'],
    [{ servers: { probes: 1 } }, 'createManager.servers.probes'],
    [{ servers: { host: 1 } }, 'createManager.servers.host'],
    [{ servers: { health: { port: 80, host: '' } } }, 'createManager.servers.health.host'],
    [{ logger: { info: nothing } }, 'createManager.logger'],
    [{ controllers: { concurrency: 0 } }, 'createManager.controllers.concurrency'],
    [{ controllers: { timeout: '3 days' } }, 'createManager.controllers.timeout'],
    [{ controllers: { backoff: { start: 1 } } }, 'createManager.controllers.backoff.start'],
    [{ linger: 0 }, 'createManager.linger'],
    [{ gracePeriod: null }, 'createManager.gracePeriod'],
    [{ servers: { metrics: -1 } }, 'createManager.servers.metrics'],
    [{ servers: { metrics: 65_536 } }, 'createManager.servers.metrics'],
    [{ servers: { metrics: 1.5 } }, 'createManager.servers.metrics'],
    [{ servers: { metrics: null } }, 'createManager.servers.metrics'],
    [{ servers: { metrics: { port: 1, path: '/' } } }, 'createManager.servers.metrics.path'],
    [{ servers: { host: '' } }, 'createManager.servers.host'],
    [
      { servers: { metrics: { port: 1, authentication: true } } },
      'createManager.servers.metrics.authentication',
    ],
    [
      { servers: { host: '127.example.com', metrics: { port: 1, authentication: true } } },
      'createManager.servers.metrics.authentication',
    ],
    [
      { servers: { metrics: { port: 1, tls: { cert: 'a', key: 'b', clientCa: 'c' } } } },
      'createManager.servers.metrics.tls.clientCa',
    ],
    [
      { servers: { health: { port: 1, authentication: true } } },
      'createManager.servers.health.authentication',
    ],
    [{ logger: null }, 'createManager.logger'],
    [{ controllers: { name: 'a' } }, 'createManager.controllers.name'],
    [
      { controllers: { priorities: { initial: '1' } } },
      'createManager.controllers.priorities.initial',
    ],
    [{ controllers: { cacheSyncTimeout: 'x' } }, 'createManager.controllers.cacheSyncTimeout'],
    [{ controllers: { backoff: { base: 'x' } } }, 'createManager.controllers.backoff.base'],
    [{ controllers: { backoff: { max: 'x' } } }, 'createManager.controllers.backoff.max'],
    [{ cache: { parsedBytes: 1.5 } }, 'createManager.cache.parsedBytes'],
    [{ kubeConfig: '~/.kube/config' }, 'createManager.kubeConfig'],
    [{ client: 1 }, 'createManager.client'],
    [{ kubeConfig: {}, client: {} }, 'createManager.client'],
    [{ stopSignals: 'SIGTERM' }, 'createManager.stopSignals'],
    [{ cache: 1 }, 'createManager.cache'],
    [{ cache: null }, 'createManager.cache'],
    [{ cache: { linger: 'long' } }, 'createManager.cache.linger'],
    [{ cache: { memoryBudget: { bytes: -1 } } }, 'createManager.cache.memoryBudget.bytes'],
    [{ cache: { parsedBytes: 0 } }, 'createManager.cache.parsedBytes'],
    [{ cache: { freeze: 1 } }, 'createManager.cache.freeze'],
    [{ cache: { keepManagedFields: 'no' } }, 'createManager.cache.keepManagedFields'],
    [{ cache: { observer: {} } }, 'createManager.cache.observer'],
    [{ stopSignals: ['SIGKILL'] }, 'createManager.stopSignals'],
    [{ cluster: { server: 'http://a' }, kubeConfig: {} }, 'createManager.kubeConfig'],
    [{ cluster: 'http://a' }, 'createManager.cluster'],
    [{ leaderElection: { lease: 'x', leaseDuration: '5s' } }, 'leaderElection.renewDeadline'],
    [{ leaderElection: { lease: 'x' }, client: { get: 1 } }, 'createManager.client'],
  ])('MG01 createManager throws for invalid options and names the option: %j', (options, named) => {
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
    [{ name: 'a'.repeat(129), reconcile: nothing }, 'addController.name'],
    [{ name: '-a', reconcile: nothing }, 'addController.name'],
    [{ name: 'a\n', reconcile: nothing }, 'addController.name'],
    [{ name: ['a'], reconcile: nothing }, 'addController.name'],
    [{ name: 'a', reconcile: nothing, concurrency: 0 }, 'addController.concurrency'],
    [{ name: 'a', reconcile: nothing, cacheSyncTimeout: -1 }, 'addController.cacheSyncTimeout'],
    [{ name: 'a', reconcile: nothing, backoff: { bas: 1 } }, 'addController.backoff.bas'],
    [{ name: 'a', reconcile: nothing, watches: Secret }, 'addController.watches'],
    [{ name: 'a', reconcile: nothing, reads: Secret }, 'addController.reads'],
    [{ name: 'a', reconcile: nothing, reads: [undefined] }, 'addController.reads[0].resource'],
    [{ name: 'a', reconcile: nothing, reads: [{ resource: Secret, map }] }, 'reads[0].map'],
    [{ name: 'a', reconcile: nothing, sources: {} }, 'addController.sources'],
    [{ name: 'a', reconcile: nothing, for: { resource: Secret, map } }, 'addController.for.map'],
    [{ name: 'a', reconcile: nothing, for: { resource: null } }, 'addController.for.resource'],
    [{ name: 'a', reconcile: nothing, for: { resource: Secret, priority: '1' } }, 'for.priority'],
    [{ name: 'a', reconcile: nothing, for: { resource: Secret, required: 1 } }, 'for.required'],
    [{ name: 'a', reconcile: nothing, for: { resource: Secret, predicates: map } }, 'predicates'],
    [
      { name: 'a', reconcile: nothing, for: WebApp, owns: [{ resource: Secret, owners: 'all' }] },
      'addController.owns[0].owners',
    ],
    [
      { name: 'a', reconcile: nothing, sources: [{ name: '', requests: nothing }] },
      'addController.sources[0].name',
    ],
    [
      { name: 'a', reconcile: nothing, sources: [{ requests: nothing }] },
      'addController.sources[0].name',
    ],
    [
      { name: 'a', reconcile: nothing, sources: [{ name: 's', requests: nothing, prio: 1 }] },
      'addController.sources[0].prio',
    ],
    [
      {
        name: 'a',
        reconcile: nothing,
        sources: [{ name: 's', requests: nothing, priority: Infinity }],
      },
      'addController.sources[0].priority',
    ],
    [
      { name: 'a', reconcile: nothing, sources: [{ name: 's', requests: null }] },
      'addController.sources[0].requests',
    ],
    [
      { name: 'a', reconcile: nothing, priorities: { initial: Number.NaN } },
      'addController.priorities.initial',
    ],
    [{ name: 'a', reconcile: nothing, for: { resource: 'WebApp' } }, 'addController.for.resource'],
    [{ name: 'a', reconcile: nothing, for: { ...WebApp, plural: undefined } }, 'addController.for'],
    [{ name: 'a', reconcile: nothing, for: 'webapps' }, 'addController.for.resource'],
    [{ name: 'a', reconcile: nothing, for: undefined }, 'addController.for.resource'],
    [
      { name: 'a', reconcile: nothing, for: { resource: WebApp, projection: 'half' } },
      'addController.for.projection',
    ],
    [
      { name: 'a', reconcile: nothing, for: { resource: WebApp, labelSelector: 5 } },
      'addController.for.labelSelector',
    ],
    [
      { name: 'a', reconcile: nothing, reads: [{ resource: WebApp, indexers: [{ name: 'x' }] }] },
      'addController.reads[0].indexers[0]',
    ],
    [
      { name: 'a', reconcile: nothing, for: WebApp, owns: [{ resource: Secret, transform: {} }] },
      'addController.owns[0].transform',
    ],
    [{ name: 'a', reconcile: nothing, keyOf: 'name' }, 'addController.keyOf'],
    [{ name: 'a', reconcile: nothing, for: WebApp, keyOf: nothing }, 'addController.keyOf'],
    [
      { name: 'a', reconcile: nothing, for: WebApp, owns: [undefined] },
      'addController.owns[0].resource',
    ],
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
      {
        name: 'a',
        reconcile: nothing,
        sources: [{ name: 's', requests: nothing, phase: 'servers' }],
      },
      'addController.sources[0].phase',
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

  test('CT33 options at their limits are accepted', () => {
    const { manager } = managers.make({ servers: { metrics: 65_535 }, gracePeriod: 0 });
    async function* requests(): AsyncGenerator<{ name: string }> {}
    const accepted = manager.addController({
      name: 'a'.repeat(128),
      for: { resource: WebApp, priority: 0, required: false, predicates: [] },
      owns: [{ resource: Secret, owners: 'any' }],
      watches: [{ resource: Secret, map, labelSelector: '' }],
      reads: [Secret],
      sources: [
        { name: 's', requests, phase: 'caches', priority: -1 },
        { name: 't', requests: requests(), phase: 'leader' },
      ],
      concurrency: 1,
      timeout: 0,
      cacheSyncTimeout: 0,
      priorities: { initial: 0 },
      reconcile: nothing,
    });
    expect(accepted.name).toHaveLength(128);
  });

  test('CT31 every option of a controller overrides the manager, and the manager overrides the default', async () => {
    useFakeTime();
    const { manager, cache } = managers.make({
      controllers: {
        concurrency: 3,
        timeout: 3000,
        priorities: { initial: 3 },
        cacheSyncTimeout: 3000,
        backoff: { base: 3000, max: 4000 },
      },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    interface Seen {
      priority: number;
      timedOutAt: number;
      readonly runs: number[];
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
          if (attempt > 2) return;
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
      priorities: { initial: 2 },
      backoff: { base: 2000, max: 2500 },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(shared).toMatchObject({ priority: 3, timedOutAt: 9000, runs: [0, 6000, 13_000] });
    expect(own).toMatchObject({ priority: 2, timedOutAt: 6000, runs: [0, 4000, 8500] });
    const most = 'controller_runtime_max_concurrent_reconciles';
    expect(await valueOf(manager, most, { controller: 'shared' })).toBe(3);
    expect(await valueOf(manager, most, { controller: 'own' })).toBe(2);
  });

  test('CT31 the defaults apply if neither the controller nor the manager has the option', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const runs: number[] = [];
    const priorities = new Set<number>();
    manager.addController({
      name: 'plain',
      for: WebApp,
      reconcile(_request, { priority }) {
        runs.push(Date.now() - begin);
        priorities.add(priority);
        throw new Error('again');
      },
    });
    const begin = Date.now();
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(10_000_000);
    expect(runs.slice(0, 4)).toEqual([0, 5, 15, 35]);
    expect((runs.at(-1) ?? 0) - (runs.at(-2) ?? 0)).toBe(1_000_000);
    expect([...priorities]).toEqual([-100]);
    const labels = { controller: 'plain' };
    const most = 'controller_runtime_max_concurrent_reconciles';
    expect(await valueOf(manager, most, labels)).toBe(1);
  });

  test('CT31 cacheSyncTimeout of a controller overrides the manager, and the manager overrides the default', async () => {
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
      await jest.advanceTimersByTimeAsync(timeout - 1);
      expect(failed).toBe(false);
      await jest.advanceTimersByTimeAsync(2);
      expect(failed).toBe(true);
    }
  });
});

describe('addRunnable', () => {
  test.each<[unknown, string]>([
    [undefined, 'addRunnable'],
    [null, 'addRunnable'],
    ['run', 'addRunnable'],
    [{ run: nothing }, 'addRunnable.name'],
    [{ name: '', run: nothing }, 'addRunnable.name'],
    [{ name: 'a' }, 'addRunnable.run'],
    [{ name: 'a', run: nothing, phase: 'last' }, 'addRunnable.phase'],
    [{ name: 'a', run: nothing, fase: 'leader' }, 'addRunnable.fase'],
  ])('option errors name the option: %j', (runnable, named) => {
    const { manager } = managers.make();
    expect(() => manager.addRunnable(runnable as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: named }) as unknown,
      }),
    );
  });

  test('an instance of a class may have further members', async () => {
    class Server {
      readonly name = 'server';
      readonly port = 80;
      ran = false;
      run(): void {
        this.ran = true;
      }
    }
    const server = new Server();
    const { manager } = managers.make();
    manager.addRunnable(server);
    manager.start().catch(nothing);
    await manager.started;
    expect(server.ran).toBe(true);
  });
});
