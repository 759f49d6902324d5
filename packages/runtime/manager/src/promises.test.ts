import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin, StatusError, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import type { Client } from '@keelson/client';
import { createInformerCache, type ListerWatcher, type NormalQuery } from '@keelson/informer';
import { Gauge } from 'prom-client';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  silent,
  sumOf,
  toSelf,
  unusedClient,
  useFakeTime,
  valueOf,
  WebApp,
} from './testing/fixtures.test-support.ts';
import { phases } from './phases/phase.ts';
import { OwnVersions } from './sources/own-versions.ts';
import { LoopClock } from './testing/loop-clock.test-support.ts';
import {
  createManager,
  TerminalError,
  type Controller,
  type DynamicWatch,
  type Logger,
  type Manager,
  type Request,
} from './index.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

/** A source of one object, whose name is the selector. */
function namesakeOf({ labelSelector = 'all', resource: { kind } }: NormalQuery): ListerWatcher {
  const metadata = { name: labelSelector, namespace: 'default', uid: '1', resourceVersion: '1' };
  const frame = {
    type: 'ADDED',
    format: undefined,
    buffer: new Uint8Array(),
    from: 0,
    to: 0,
  } as const;
  return {
    async *list() {
      yield {
        frames: [{ ...frame, object: { kind, metadata } }],
        receivedAt: 0,
        listMetadata: { resourceVersion: '1' },
      };
    },
    async *watch({ signal, sendInitialEvents }) {
      if (sendInitialEvents === true)
        throw new StatusError({ kind: 'Status', code: 422, reason: 'Invalid' });
      yield { frames: [], receivedAt: 0 };
      await once(signal, 'abort');
    },
  };
}

/** A TokenReview or a SubjectAccessReview. */
interface Review {
  readonly kind: string;
  readonly spec: { readonly token?: string; readonly user?: string };
}

/** The guarantees of `index.ts`, in the same words. */
/** A manager that takes part in a leader election on the server. */
function candidate({ cluster }: ApiServer, identity: string): Manager {
  const leaderElection = { lease: 'promise', namespace: 'default', identity };
  return createManager({ cluster, logger: silent, stopSignals: [], leaderElection });
}

describe('the manager promises', () => {
  test('A request is reconciled by at most one worker at a time; adding it meanwhile leads to one more run.', async () => {
    const { manager, cache } = managers.make();
    const first = gate();
    let runs = 0;
    let most = 0;
    const controller = manager.addController({
      name: 'exclusive',
      for: WebApp,
      concurrency: 5,
      async reconcile() {
        runs += 1;
        most = Math.max(most, controller.running);
        if (runs === 1) await first.opened;
      },
    });
    await running(manager);
    for (let event = 0; event < 3; event += 1) {
      cache.set(WebApp, objectOf(WebApp, 'a'));
      await eventually(() => runs === 1);
    }
    first.open();
    await eventually(() => runs === 2 && controller.running === 0 && controller.length === 0);
    expect(most).toBe(1);
  });

  test('No reconcile starts before every required watch of its controller has synced and its initial objects are queued.', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    const lengths: number[] = [];
    const controller = manager.addController({
      name: 'patient',
      for: WebApp,
      watches: [{ resource: Secret, map: toSelf }],
      reconcile: () => void lengths.push(controller.length),
    });
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size === 2);
    for (const name of ['a', 'b']) cache.set(WebApp, objectOf(WebApp, name));
    cache.sync(WebApp);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lengths).toEqual([]);
    for (const name of ['c', 'd']) cache.set(Secret, objectOf(Secret, name));
    cache.sync(Secret);
    await eventually(() => lengths.length === 4);
    expect(lengths[0]).toBe(3);
  });

  test('One object is one request, regardless of the members that a request has beside namespace and name.', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const requests: object[] = [];
    const controller = manager.addController({
      name: 'one-key',
      for: WebApp,
      concurrency: 4,
      async reconcile(request) {
        requests.push(request);
        await end.opened;
      },
    });
    await running(manager);
    const { metadata } = cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.running === 1);
    controller.enqueue(metadata as Request);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    expect(controller.length).toBe(1);
    end.open();
    await eventually(() => requests.length === 2);
    expect(requests[1]).toEqual({ namespace: 'default', name: 'a' });
  });

  test('An invalid result is logged with its cure and counted, and never causes another run.', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    let runs = 0;
    const controller = manager.addController({
      name: 'invalid',
      reconcile() {
        runs += 1;
        return { requeueAfter: -1 };
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => runs === 1 && controller.running === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([runs, controller.length]).toEqual([1, 0]);
    expect(JSON.stringify(lines)).toContain('INVALID_RESULT');
    expect(JSON.stringify(lines)).toContain('cure=');
    expect(await valueOf(manager, 'keelson_invalid_results_total')).toBe(1);
  });

  test('Each reconcile, mapper, predicate and source runs in an async context of its own.', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { manager, cache } = managers.make();
    const seen: (string | undefined)[] = [];
    const visit = (where: string): void => {
      seen.push(storage.getStore());
      storage.enterWith(where);
    };
    manager.addController({
      name: 'own-context',
      watches: [
        {
          resource: Secret,
          predicates: [() => (visit('predicate'), true)],
          map: (secret) => (visit('map'), toSelf(secret)),
        },
      ],
      sources: [
        {
          name: 'source',
          async *requests() {
            visit('source');
            yield { name: 'from-source' };
          },
        },
      ],
      reconcile: () => visit('reconcile'),
    });
    await running(manager);
    storage.run('event', () => cache.set(Secret, objectOf(Secret, 's')));
    await eventually(() => seen.length === 5);
    expect(seen).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('With debounce an object with endless events is reconciled within maxWait after the first of them.', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const runs: number[] = [];
    manager.addController({
      name: 'calm',
      for: WebApp,
      debounce: { wait: '1s', maxWait: '5s' },
      reconcile: () => void runs.push(Date.now()),
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    const begin = Date.now();
    for (let events = 0; events < 20; events += 1) {
      cache.set(WebApp, objectOf(WebApp, 'busy'));
      await jest.advanceTimersByTimeAsync(500);
    }
    expect(runs.map((at) => at - begin)).toEqual([5000, 10_000]);
  });

  test('An object that changes without end leads to one run per token of eventRate, and its last change to a final run.', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const runs: [change: number, at: number][] = [];
    let changes = 0;
    manager.addController({
      name: 'calm',
      for: WebApp,
      eventRate: { burst: 3, perSecond: 1 },
      reconcile: () => void runs.push([changes, Date.now()]),
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    const begin = Date.now();
    for (changes = 1; changes <= 100; changes += 1) {
      cache.set(WebApp, objectOf(WebApp, 'busy'));
      await jest.advanceTimersByTimeAsync(25);
    }
    changes = 100;
    await jest.advanceTimersByTimeAsync(1000);
    expect(runs.map(([, at]) => at - begin)).toEqual([0, 25, 50, 1000, 2000, 3000]);
    expect(runs.at(-1)?.[0]).toBe(100);
  });

  test('With maxReconcileInterval an object runs again within that time after a success, until it is gone.', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const runs: number[] = [];
    manager.addController({
      name: 'patrol',
      for: WebApp,
      maxReconcileInterval: '1h',
      reconcile: () => void runs.push(performance.now()),
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(5 * 3_600_000);
    expect(runs.length).toBeGreaterThanOrEqual(5);
    const gaps = runs.slice(1).map((at, index) => at - (runs[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3_600_000);
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await jest.advanceTimersByTimeAsync(0);
    const { length } = runs;
    await jest.advanceTimersByTimeAsync(5 * 3_600_000);
    expect(runs).toHaveLength(length);
  });

  test('An error policy that fails loses no request: the default applies.', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const attempts: number[] = [];
    const controller = manager.addController({
      name: 'odd',
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
      },
      errorPolicy(_error, _request, { attempt }) {
        if (attempt === 1) throw new Error('no policy');
        return 'no decision' as 'retry';
      },
    });
    manager.start().catch(nothing);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1000);
    expect(attempts).toEqual([1, 2, 3]);
  });

  test('A throw is retried with backoff at the same priority, a TerminalError is not, and requeueAfter means exactly that delay.', async () => {
    useFakeTime();
    const { manager } = managers.make({ controllers: { backoff: { base: 100 } } });
    const begin = Date.now();
    const runs: string[] = [];
    const controller = manager.addController({
      name: 'outcomes',
      reconcile({ name }, { priority, attempt }) {
        runs.push(`${name} ${priority} ${Date.now() - begin}`);
        if (name === 'throws' && attempt < 3) throw new Error('no');
        if (name === 'terminal') throw new TerminalError('never');
        return name === 'later' && runs.length < 5 ? { requeueAfter: 1000 } : undefined;
      },
    });
    manager.start().catch(nothing);
    for (const name of ['throws', 'terminal', 'later'])
      controller.enqueue({ name }, { priority: 4 });
    await jest.advanceTimersByTimeAsync(100_000);
    expect(runs).toEqual([
      'throws 4 0',
      'terminal 4 0',
      'later 4 0',
      'throws 4 100',
      'throws 4 300',
      'later 4 1000',
    ]);
  });

  test('A worker is free only when its reconcile has ended: a timeout aborts the signal, and the worker stays busy.', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'slow',
      timeout: 1000,
      async reconcile({ name }, { signal }) {
        if (name === 'first') await end.opened;
        seen.push(`${name} ${signal.aborted}`);
      },
    });
    manager.start().catch(nothing);
    for (const name of ['first', 'second']) controller.enqueue({ name });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual([]);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(seen).toEqual(['first true', 'second false']);
  });

  test('Watches are added and removed at run time, and neither waits for a sync.', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'dynamic',
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    cache.syncsAtOnce = false;
    const never = controller.watch({ resource: Secret, map: toSelf });
    await never.remove();
    await expect(never.synced).rejects.toMatchObject({ code: 'WATCH_REMOVED' });
    cache.sync(ConfigMap);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => seen.length === 1);
    await watch.remove();
    expect(cache.handles.size).toBe(0);
  });

  test('When remove resolves, no handler of the watch runs, the requests that only it caused are gone, and the reconciles it caused have ended or their timeout has passed.', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const ended: string[] = [];
    let mapped = 0;
    const controller = manager.addController({
      name: 'removing',
      async reconcile({ name }) {
        await end.opened;
        ended.push(name);
      },
    });
    await running(manager);
    const watch = controller.watch({
      resource: ConfigMap,
      map({ name }) {
        mapped += 1;
        return { name };
      },
    });
    cache.set(ConfigMap, objectOf(ConfigMap, 'runs'));
    await eventually(() => controller.running === 1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'queued'));
    const removal = watch.remove();
    setImmediate(end.open);
    await removal;
    expect(ended).toEqual(['runs']);
    cache.set(ConfigMap, objectOf(ConfigMap, 'later'));
    expect({ mapped, queued: controller.length }).toEqual({ mapped: 2, queued: 0 });
  });

  test('A removal waits neither for the run that calls it nor for a run that itself waits in a removal, a change of watches or a stop.', async () => {
    const { manager, cache } = managers.make();
    const both = gate();
    const watches: DynamicWatch[] = [];
    let ended = 0;
    const controller = manager.addController({
      name: 'barriers',
      concurrency: 2,
      async reconcile() {
        if (controller.running === 2) both.open();
        await both.opened;
        await Promise.all(watches.map((watch) => watch.remove()));
        ended += 1;
      },
    });
    await running(manager);
    watches.push(controller.watch({ resource: ConfigMap, map: () => ({ name: 'one' }) }));
    watches.push(controller.watch({ resource: Secret, map: () => ({ name: 'two' }) }));
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    cache.set(Secret, objectOf(Secret, 'b'));
    await eventually(() => ended === 2);
    expect(cache.handles.size).toBe(0);
  });

  test('A change of the namespaces sends no request for those that stay and repeats none of their events; one that leaves is removed as a watch is.', async () => {
    await using server = await createApiServer({});
    const { cluster } = server;
    const namespaces = ['default', 'kube-system'];
    await using manager = createManager({ cluster, logger: silent, stopSignals: [], namespaces });
    const seen: string[] = [];
    const reads: unknown[] = [];
    manager.addController({
      name: 'tenants',
      for: ConfigMap,
      reconcile({ namespace, name }, { cache }) {
        seen.push(`${namespace}/${name}`);
        if (name !== 'second') return;
        try {
          cache.list(ConfigMap, { namespace: 'kube-system' });
        } catch (error) {
          reads.push((error as { code?: string }).code);
        }
      },
    });
    await manager.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'first' } });
    await running(manager);
    await eventually(() => seen.includes('default/first'));
    seen.length = 0;
    await manager.setNamespaces(['default', 'kube-public']);
    for (const namespace of ['kube-system', 'default']) {
      await manager.client.create(ConfigMap, { metadata: { namespace, name: 'second' } });
    }
    await eventually(() => seen.includes('default/second'));
    expect([seen, reads]).toEqual([['default/second'], ['NOT_WATCHED']]);
    const verb = ['list', 'watch'];
    const scope = { resource: ConfigMap, namespace: 'default', verb };
    expect(server.stats.requests(scope)).toBe(1);
  });

  test('A change of a live controller leaves no gap in events or reads, sends no request for what stays, and drops the requests that only leaving objects caused.', async () => {
    await using server = await createApiServer({});
    const { cluster } = server;
    const { logger, lines } = recordingLogger();
    await using manager = createManager({ cluster, logger, stopSignals: [] });
    const first = gate();
    const seen: string[] = [];
    const failedReads: unknown[] = [];
    const controller = manager.addController({
      name: 'changing',
      for: { resource: ConfigMap, namespace: 'default', labelSelector: 'tier in (a,b)' },
      reads: [{ resource: Secret, namespace: 'default' }],
      async reconcile({ name }, { cache }) {
        seen.push(name);
        if (name === 'first') await first.opened;
        try {
          cache.list(ConfigMap, { namespace: 'default' });
        } catch (error) {
          failedReads.push(error);
        }
      },
    });
    const create = (name: string, tier: string): Promise<unknown> =>
      manager.client.create(ConfigMap, {
        metadata: { namespace: 'default', name, labels: { tier } },
      });
    await running(manager);
    await create('first', 'a');
    await eventually(() => seen.length === 1);
    await Promise.all([create('leaving', 'b'), create('staying', 'a'), create('entering', 'c')]);
    await eventually(() => controller.length === 2);
    server.stats.reset();
    const selected = { resource: ConfigMap, namespace: 'default', labelSelector: 'tier in (a,c)' };
    const change = controller.reconfigure({ for: selected });
    await create('during', 'a');
    await eventually(() => lines.some(({ message }) => message === 'controller reconfigured'));
    first.open();
    expect(await change).toMatchObject({ kept: ['reads Secret in default'] });
    await create('after', 'c');
    const names = (): Set<string> => new Set(seen);
    await eventually(() => names().has('after') && controller.length === 0);
    expect([...names()].toSorted()).toEqual(['after', 'during', 'entering', 'first', 'staying']);
    expect(failedReads).toEqual([]);
    expect(server.stats.requests({ resource: Secret, verb: ['list', 'watch'] })).toBe(0);
    expect(server.stats.requests({ resource: ConfigMap, verb: ['list', 'watch'] })).toBe(1);
  });

  test('A watch leaves a replaced set when all watches of the new set can be read, so that no reader finds neither set.', async () => {
    const { manager, cache } = managers.make();
    const controller = manager.addController({ name: 'sets', reconcile: nothing });
    await running(manager);
    await controller.replaceWatches('set', [{ resource: ConfigMap, map: toSelf }]);
    cache.syncsAtOnce = false;
    const change = controller.replaceWatches('set', [{ resource: Secret, map: toSelf }]);
    const readable = (): string[] =>
      [...cache.handles].flatMap(({ hasSynced, query }) => (hasSynced ? query.resource.kind : []));
    await new Promise((resolve) => setImmediate(resolve));
    expect(readable()).toEqual(['ConfigMap']);
    cache.sync(Secret);
    await change;
    expect(readable()).toEqual(['Secret']);
  });

  test('Controllers with the same query share one watch, and stopping one does not affect the others.', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const add = (name: string): Controller =>
      manager.addController({ name, for: WebApp, reconcile: () => void seen.push(name) });
    const first = add('first');
    add('second');
    await running(manager);
    expect(new Set([...cache.handles].map(({ identity }) => identity)).size).toBe(1);
    await first.stop();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(['second']);
  });

  test('Inside a controller the cache reads what the controller itself watches, regardless of other controllers.', async () => {
    await using cache = createInformerCache({ listerWatcher: namesakeOf });
    const { manager } = managers.make({ cache });
    const read: Record<string, unknown> = {};
    const add = (name: string): Controller =>
      manager.addController({
        name,
        for: { resource: WebApp, labelSelector: name },
        reconcile: (_request, { cache: own }) => {
          read[name] = own.list(WebApp).map(({ metadata }) => metadata.name);
        },
      });
    add('first');
    add('second');
    await running(manager);
    await eventually(() => Object.keys(read).length === 2);
    expect(read).toEqual({ first: ['first'], second: ['second'] });
  });

  test('Mappers and predicates read what their own controller watches, and an object whose mapper reads a kind before its sync is mapped again after it.', async () => {
    await using server = await createApiServer({});
    const { cluster } = server;
    await using manager = createManager({ cluster, logger: silent, stopSignals: [] });
    const namespace = 'default';
    await manager.client.create(Secret, { metadata: { namespace, name: 's' } });
    for (const name of ['mine', 'foreign'])
      await manager.client.create(ConfigMap, {
        metadata: { namespace, name, labels: { of: name } },
      });
    manager.addController({ name: 'other', for: ConfigMap, reconcile: nothing });
    const seen: unknown[] = [];
    let attempts = 0;
    const stall = server.faults.stallWatches({ resource: ConfigMap });
    manager.addController({
      name: 'own',
      reads: [{ resource: ConfigMap, labelSelector: 'of=mine' }],
      watches: [
        {
          resource: Secret,
          predicates: [(_event, { cache }) => cache.list(ConfigMap).length > 0],
          map: (_secret, { cache }) => {
            attempts += 1;
            return cache.list(ConfigMap).map(({ metadata: { name } }) => ({ name }));
          },
        },
      ],
      reconcile: ({ name }) => void seen.push(name),
    });
    const started = running(manager);
    await eventually(() => attempts > 0);
    expect(seen).toEqual([]);
    stall[Symbol.dispose]();
    await started;
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(['mine']);
  });

  test('With readiness reconciled a manager is ready when each initial request has run once or has left the queue; a standby is ready without it.', async () => {
    const { manager, cache } = managers.make({
      servers: { health: { port: 0, host: '127.0.0.1' } },
    });
    const end = gate();
    for (const name of ['a', 'b']) cache.set(WebApp, objectOf(WebApp, name, { namespace: name }));
    const controller = manager.addController({
      name: 'policy',
      for: WebApp,
      namespaces: ['a', 'b'],
      readiness: 'reconciled',
      reconcile: () => end.opened,
    });
    const ready = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz?verbose`)).text();
    await running(manager);
    expect(await ready()).toContain('[-]reconciled failed: 2 initial requests left');
    await eventually(() => controller.running === 1);
    await controller.setNamespaces(['a']);
    expect(await ready()).toContain('[-]reconciled failed: 1 initial requests left');
    end.open();
    await eventually(() => controller.running === 0);
    expect(await ready()).toContain('[+]reconciled ok');
  });

  test('A kind that is forbidden or not served delays only the controllers that require it, and readiness.', async () => {
    const health = { port: 0, host: '127.0.0.1' };
    const { manager, cache } = managers.make({ servers: { health } });
    cache.syncsAtOnce = false;
    const seen: string[] = [];
    manager.addController({ name: 'good', for: WebApp, reconcile: () => void seen.push('good') });
    manager.addController({ name: 'bad', for: Secret, reconcile: () => void seen.push('bad') });
    manager.addController({
      name: 'ugly',
      for: ConfigMap,
      reconcile: () => void seen.push('ugly'),
    });
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size === 3);
    for (const kind of [WebApp, Secret, ConfigMap]) cache.set(kind, objectOf(kind, 'a'));
    cache.setHealth(Secret, 'forbidden', 'no');
    cache.setHealth(ConfigMap, 'parked', 'not served');
    cache.sync(WebApp);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['good']);
    const ready = await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('[-]caches failed');
  });

  test('An error of a predicate or mapper is counted, and its source continues.', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const fails = (): never => {
      throw new Error('odd');
    };
    const map = (object: { readonly name: string }): { name: string } =>
      object.name === 'odd' ? fails() : toSelf(object);
    manager.addController({
      name: 'tolerant',
      for: { resource: WebApp, predicates: [fails] },
      watches: [{ resource: Secret, map }],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'app'));
    for (const name of ['odd', 'even']) cache.set(Secret, objectOf(Secret, name));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['app', 'even']);
    const labels = { controller: 'tolerant' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(2);
  });

  test('A function of the user that throws, rejects or returns a promise where it must not never ends the process.', async () => {
    // `user-code/user-functions.test.ts` and `manager-functions.test.ts` walk all functions.
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const rejects = (): never => Promise.reject(new Error('odd')) as never;
    manager.addController({
      name: 'odd',
      groupOf: rejects,
      errorPolicy: rejects,
      backoff: { base: 1, max: 1 },
      for: { resource: WebApp, predicates: [rejects] },
      watches: [{ resource: Secret, map: rejects }],
      reconcile({ name }) {
        seen.push(name);
        if (seen.length === 1) throw new Error('planned');
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'mapped'));
    cache.set(WebApp, objectOf(WebApp, 'app'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['app', 'app']);
    expect(await valueOf(manager, 'keelson_handler_errors_total', { controller: 'odd' })).toBe(2);
  });

  test('An event is ignored as one of an own write only if that is proven: a proof that cannot be read proves nothing.', () => {
    // `controller/ignore-own.test.ts` checks it against a server.
    const own = new OwnVersions().use();
    const sent = { contentType: 'application/merge-patch+json', text: '{"data":{"a":"1"}}' };
    const metadata = { uid: 'u', resourceVersion: '2' };
    own.written(Secret, { metadata } as never, { isCreation: false, sent });
    const state = (resourceVersion: string, value: () => object): unknown => {
      return { uid: 'u', resourceVersion, value };
    };
    const made = (before: () => object): boolean => {
      const object = state('2', () => ({ data: { a: '1' } }));
      const event = { type: 'updated', previous: state('1', before), object };
      return own.made(event as never);
    };
    expect(made(() => ({}))).toBe(true);
    expect(
      made(() => {
        throw new Error('the body was not kept');
      }),
    ).toBe(false);
  });

  test('Events use up no attempts: a failure before the end of a backoff is not a new attempt.', async () => {
    const { manager } = managers.make();
    const attempts: number[] = [];
    const letters: number[] = [];
    const controller = manager.addController({
      name: 'busy',
      maxAttempts: 2,
      backoff: { base: '1h', max: '1h' },
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        throw new Error('no');
      },
      onDeadLetter: (_request, _error, { attempt }) => void letters.push(attempt),
    });
    await running(manager);
    for (let runs = 1; runs <= 2; runs += 1) {
      controller.enqueue({ name: 'a' });
      await eventually(() => attempts.length === runs && controller.running === 0);
    }
    expect([attempts, letters]).toEqual([[1, 2], []]);
  });

  test('The members of a request never replace a fact of a log line.', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const request = { controller: 'other', level: 'other', time: 'other', reconcileId: 'other' };
    const controller = manager.addController<KubernetesObject, undefined, typeof request>({
      name: 'own',
      keyOf: () => 'a',
      reconcile: (_request, { log }) => log.info({}, 'runs'),
    });
    await running(manager);
    controller.enqueue(request);
    await eventually(() => lines.some(({ message }) => message === 'runs'));
    const line = lines.find(({ message }) => message === 'runs');
    expect(line).toMatchObject({ controller: 'own', level: 'info', 'request.level': 'other' });
    expect([line?.['time'], line?.['reconcileId']]).not.toContain('other');
  });

  test('Start runs the phases in order, stop runs them in reverse, and running reconciles may finish within the grace period.', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const order: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      async reconcile() {
        await end.opened;
        order.push('reconciled');
      },
    });
    for (const phase of phases) {
      manager.addRunnable({
        name: phase,
        phase,
        run({ signal }) {
          order.push(`+${phase}`);
          const { promise, resolve } = Promise.withResolvers<void>();
          signal.addEventListener('abort', () => {
            order.push(`-${phase}`);
            resolve();
          });
          return promise;
        },
      });
    }
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => controller.running === 1);
    setImmediate(end.open);
    await manager.stop();
    expect(order).toEqual([
      ...phases.map((phase) => `+${phase}`),
      '-leader',
      'reconciled',
      '-shards',
      '-always',
      '-caches',
      '-servers',
    ]);
  });

  test('A whole stop fits into the grace period, names what still runs, and reports every error.', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: '10s' });
    const [never, failure] = [gate(), new Error('broken')];
    for (const phase of phases) {
      manager.addRunnable({ name: phase, phase, run: () => never.opened });
    }
    manager.addRunnable({ name: 'breaks', run: () => Promise.reject(failure) });
    const ended = expect(manager.start()).rejects.toMatchObject({
      errors: [failure, { facts: { stillRunning: phases.toReversed() } }],
    });
    await jest.advanceTimersByTimeAsync(10_000);
    await ended;
    never.open();
  });

  test('With leader election one process at a time runs the phase leader, and none of its writes is sent once the Lease may be lost.', async () => {
    await using server = await createApiServer({});
    const seen: string[] = [];
    const replica = (identity: string): Manager => {
      const manager = candidate(server, identity);
      manager.addRunnable({
        name: 'work',
        async run({ client, signal }) {
          seen.push(identity);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          late.push(client);
        },
      });
      return manager;
    };
    const late: Client[] = [];
    const [one, two] = [replica('one'), replica('two')];
    const ends = [one.start(), two.start()];
    await eventually(() => seen.length === 1);
    await (seen[0] === 'one' ? one : two).stop();
    await eventually(() => seen.length === 2);
    await Promise.all([one.stop(), two.stop(), ...ends]);
    expect(seen.toSorted()).toEqual(['one', 'two']);
    for (const client of late) {
      const write = client.create(builtin.ConfigMap, {
        metadata: { namespace: 'default', name: 'x' },
      });
      await expect(write).rejects.toMatchObject({ code: 'LEADERSHIP_LOST' });
    }
  });

  test('A standby keeps its caches and queues filled, and takes over without a list.', async () => {
    await using server = await createApiServer({});
    const seen: string[] = [];
    const replica = (identity: string): Manager => {
      const manager = candidate(server, identity);
      manager.addController({
        name: 'seen',
        for: builtin.Namespace,
        reconcile: ({ name }) => void seen.push(`${identity} ${name}`),
      });
      return manager;
    };
    const [leader, standby] = [replica('one'), replica('two')];
    const ends = [leader.start()];
    await leader.started;
    ends.push(standby.start());
    await eventually(() => server.stats.openWatches(builtin.Namespace) === 2);
    server.stats.reset();
    await leader.stop();
    await standby.started;
    await eventually(() => seen.includes('two default'));
    expect(server.stats.requests({ resource: builtin.Namespace })).toBe(0);
    await standby.stop();
    await Promise.all(ends);
  });

  test('With sharding each request has one replica at a time, and one that moves runs there again with its object.', async () => {
    await using server = await createApiServer({});
    const runs: string[] = [];
    const replica = async (by: string): Promise<Manager> => {
      const manager = createManager({
        cluster: server.cluster,
        logger: silent,
        stopSignals: [],
        sharding: { name: 'web', by: 'name', namespace: 'default' },
      });
      manager.addController({
        name: 'recorder',
        for: { resource: ConfigMap, namespace: 'default' },
        reconcile({ name }, { cache }) {
          const found = cache.get(ConfigMap, { namespace: 'default', name });
          runs.push(`${by} ${name} ${found === undefined ? 'absent' : 'present'}`);
        },
      });
      await running(manager);
      return manager;
    };
    const names = Array.from({ length: 20 }, (_, at) => `object-${at}`);
    server.seed(names.map((name) => objectOf(ConfigMap, name)));
    await using one = await replica('one');
    await eventually(() => names.every((name) => runs.includes(`one ${name} present`)));
    await using two = await replica('two');
    await eventually(() => runs.some((run) => run.startsWith('two ')));
    await one.stop();
    await eventually(() => names.every((name) => runs.includes(`two ${name} present`)));
    expect(runs.filter((run) => run.endsWith('absent'))).toEqual([]);
    const counts = names.map((name) => runs.filter((run) => run.includes(` ${name} `)).length);
    expect(new Set(counts)).toEqual(new Set([2]));
    await two.stop();
  });

  test('With authentication the metrics are sent only to users who may get /metrics, and scrapes with one token share their reviews.', async () => {
    const kinds: string[] = [];
    const create = async (_resource: unknown, review: Review): Promise<object> => {
      kinds.push(review.kind);
      const { token, user } = review.spec;
      const status =
        token === undefined
          ? { allowed: user === 'reader' }
          : { authenticated: token !== 'invalid', user: { username: token } };
      return { ...review, status };
    };
    const host = '127.0.0.1';
    const reviewing: Client = Object.assign(Object.create(unusedClient()) as Client, {
      create,
      withWriteObserver: () => reviewing,
    });
    const { manager } = managers.make({
      client: reviewing,
      servers: { host, metrics: { port: 0, authentication: true } },
    });
    await running(manager);
    const statusFor = async (token?: string): Promise<number> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(`http://${host}:${manager.ports.metrics}/metrics`, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await statusFor()).toBe(401);
    expect(await statusFor('invalid')).toBe(401);
    expect(await statusFor('stranger')).toBe(403);
    kinds.length = 0;
    const scrapes = Array.from({ length: 20 }, () => statusFor('reader'));
    expect(new Set(await Promise.all(scrapes))).toEqual(new Set([200]));
    expect(kinds).toEqual(['TokenReview', 'SubjectAccessReview']);
  });

  test('Profiles are sent only to readers with a token or with authentication by the API server, and on a loopback address to no web page.', async () => {
    const { manager } = managers.make({ servers: { debug: 0 } });
    await running(manager);
    const url = `http://127.0.0.1:${manager.ports.debug}/debug/event-loop-delay?seconds=no`;
    const authorization = `Bearer ${manager.debugToken}`;
    const statusFor = async (headers: Record<string, string>): Promise<number> => {
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await statusFor({})).toBe(401);
    expect(await statusFor({ authorization: 'Bearer another' })).toBe(401);
    expect(await statusFor({ authorization, origin: 'https://site.example' })).toBe(403);
    expect(await statusFor({ authorization, 'sec-fetch-site': 'cross-site' })).toBe(403);
    // The number of seconds is invalid, and the access is allowed.
    expect(await statusFor({ authorization })).toBe(400);
  });

  test('Webhooks are served in every replica, before the leader election, and after a stop begins until other replicas have taken over.', async () => {
    // A busy machine must not shorten the delay.
    useFakeTime({ setImmediate: true });
    const { manager } = managers.make({
      gracePeriod: '10s',
      leaderElection: { lease: 'unreachable', namespace: 'default' },
      servers: {
        host: '127.0.0.1',
        health: 0,
        webhook: { port: 0, tls: 'self-signed', shutdownDelay: 1000 },
      },
    });
    manager.addWebhook({ name: 'all', resource: '*', validate: () => undefined });
    const end = manager.start();
    await eventually(() => manager.ports.webhook !== undefined);
    const { webhook: port, health } = manager.ports;
    const reviewed = async (): Promise<number | undefined> => {
      const options = { host: '127.0.0.1', port, path: '/validate/all', method: 'POST' };
      const headers = { 'content-type': 'application/json' };
      const sent = httpsRequest({ ...options, headers, rejectUnauthorized: false, agent: false });
      sent.end('{}');
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    expect([manager.isLeader, await reviewed()]).toEqual([false, 400]);
    const stopped = manager.stop();
    expect((await fetch(`http://127.0.0.1:${health}/readyz`)).status).toBe(503);
    expect(await reviewed()).toBe(400);
    await jest.advanceTimersByTimeAsync(1000);
    await stopped;
    await end;
    await expect(reviewed()).rejects.toThrow('ECONNREFUSED');
  });

  test('Connections of one client that send nothing keep no other client from a server of the manager.', async () => {
    const { manager } = managers.make({ servers: { health: { port: 0, host: '127.0.0.1' } } });
    await running(manager);
    const port = manager.ports.health ?? 0;
    const silentSockets = Array.from({ length: 250 }, () => connect(port, '127.0.0.1'));
    for (const socket of silentSockets) socket.on('error', () => undefined);
    await Promise.all(silentSockets.map((socket) => once(socket, 'connect')));
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    for (const socket of silentSockets) socket.destroy();
  });

  test('A further cluster that fails delays only the controllers that require it, and removing it leaves everything else in place.', async () => {
    await using server = await createApiServer({});
    await using manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
    });
    const cluster = manager.addCluster('dead', { server: 'http://127.0.0.1:1' });
    const watches = [{ cluster: 'dead', resource: Secret, map: toSelf }] as const;
    const seen: string[] = [];
    const reconcile = ({ name }: Request): void => void seen.push(name);
    manager.addController({
      name: 'optional',
      for: ConfigMap,
      watches: [{ ...watches[0], required: false }],
      reconcile,
    });
    await running(manager);
    const waiting = manager.addController({ name: 'waiting', watches, reconcile });
    await manager.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await eventually(() => seen.length === 1);
    expect(cluster.health.isLive).toBe(false);
    await cluster.remove();
    await waiting.synced;
    await manager.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'b' } });
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['a', 'b']);
  });

  test('A source with clusters follows those that come and go, and one that does not respond delays only its own requests.', async () => {
    await using server = await createApiServer({});
    await using manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
    });
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'fleet',
      for: { resource: ConfigMap, clusters: 'all', namespace: 'default' },
      reconcile: ({ cluster, name }) => void seen.push(`${cluster} ${name}`),
    });
    manager.addCluster('dead', { server: 'http://127.0.0.1:1' });
    const member = manager.addCluster('member', server.cluster);
    await running(manager);
    await member.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await eventually(() => seen.includes('member a'));
    await member.remove();
    expect(controller.explain().watches.map(({ source }) => source)).toEqual([
      'for ConfigMap of dead',
    ]);
    await using again = manager.addCluster('member', server.cluster);
    await eventually(() => seen.length === 2);
    expect([seen, again.health.watches]).toEqual([['member a', 'member a'], 1]);
  });

  test('The helpers of a cluster write to that cluster only, and refuse the objects of other clusters.', async () => {
    await using server = await createApiServer({});
    await using other = await createApiServer({});
    await using manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
    });
    const { client } = manager.addCluster('workload', other.cluster);
    const results = Promise.withResolvers<unknown[]>();
    const resource = ConfigMap;
    const work = { resource, finalizer: 'example.com/a', apply: nothing, cleanup: nothing };
    manager.addController({
      name: 'a',
      watches: [{ cluster: 'workload', resource, namespace: 'default', map: toSelf }],
      async reconcile(_, { clusters, finalizer }) {
        const access = clusters.get('workload');
        const object = access.cache.get(resource, { namespace: 'default', name: 'a' });
        if (object === undefined) return;
        const refused = await finalizer({ ...work, object }).catch((error: unknown) => error);
        results.resolve([refused, await access.finalizer({ ...work, object })]);
      },
    });
    await running(manager);
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    expect(await results.promise).toMatchObject([{ code: 'OTHER_CLUSTER' }, { requeueAfter: 1 }]);
    expect(server.stats.requests({ resource, verb: 'patch' })).toBe(0);
    expect(other.object(resource, { namespace: 'default', name: 'a' })).toMatchObject({
      metadata: { finalizers: ['example.com/a'] },
    });
  });

  test('A call of user code that blocks the event loop is named in a warning and in a metric.', async () => {
    const { logger, lines } = recordingLogger();
    const { manager, cache } = managers.make({ logger });
    const clock = new LoopClock();
    const reconcile = async (): Promise<void> => clock.block(5000);
    manager.addController({ name: 'slow', for: WebApp, reconcile });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const warned = (): unknown => lines.find(({ level }) => level === 'warn');
    await eventually(() => warned() !== undefined);
    const expected = { controller: 'slow', role: 'reconcile', name: 'a', blockedMs: 5000 };
    expect(warned()).toMatchObject(expected);
    expect(await sumOf(manager, 'keelson_event_loop_blocked_seconds')).toBe(5);
    jest.restoreAllMocks();
  });

  test('The history that explain reads stays within historyBytes, and an object that changes without end displaces no other.', async () => {
    const { manager, cache } = managers.make({ controllers: { historyBytes: 20_000 } });
    const controller = manager.addController({ name: 'busy', for: WebApp, reconcile: nothing });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'quiet'));
    for (let change = 0; change < 500; change += 1) cache.set(WebApp, objectOf(WebApp, 'endless'));
    await eventually(() => controller.length === 0 && controller.running === 0);
    const bytes = await valueOf(manager, 'keelson_history_bytes', { controller: 'busy' });
    expect(bytes).toBeLessThanOrEqual(20_000);
    const explained = controller.explain({ namespace: 'default', name: 'quiet' });
    expect([explained.events.length, explained.runs.length]).toEqual([1, 1]);
    expect(controller.explain({ namespace: 'default', name: 'endless' }).events).toHaveLength(8);
    for (let other = 0; other < 500; other += 1) cache.set(WebApp, objectOf(WebApp, `o${other}`));
    await eventually(() => controller.length === 0 && controller.running === 0);
    expect(
      await valueOf(manager, 'keelson_history_bytes', { controller: 'busy' }),
    ).toBeLessThanOrEqual(20_000);
  });

  test('A logger, health check or metric of the user that throws affects nothing else.', async () => {
    const fails = (): never => {
      throw new Error('odd');
    };
    const logger: Logger = { debug: fails, info: fails, warn: fails, error: fails, child: fails };
    const servers = { host: '127.0.0.1', metrics: 0, health: 0 };
    const { manager } = managers.make({ logger, servers });
    manager.addHealthCheck('odd', fails);
    const registers = [manager.registry];
    const gauge: Gauge = new Gauge({ name: 'odd', help: 'odd', registers, collect: fails });
    expect(gauge).toBeDefined();
    const runs: string[] = [];
    const controller = manager.addController({
      name: 'unaffected',
      reconcile: ({ name }) => void runs.push(name),
    });
    await running(manager);
    const { metrics, health } = manager.ports;
    const page = await fetch(`http://127.0.0.1:${metrics}/metrics`);
    expect(await page.text()).toContain('controller="unaffected"');
    expect((await fetch(`http://127.0.0.1:${health}/healthz`)).status).toBe(500);
    expect((await fetch(`http://127.0.0.1:${health}/healthz/ping`)).status).toBe(200);
    controller.enqueue({ name: 'a' });
    await eventually(() => runs.length === 1);
  });

  test('Writing events never blocks a reconcile and never fails it.', async () => {
    const hanging: Client = Object.assign(Object.create(unusedClient()) as Client, {
      create: (_resource: unknown, _object: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      withFieldManager: () => hanging,
      withWriteObserver: () => hanging,
    });
    const { manager } = managers.make({ client: hanging });
    let runs = 0;
    const controller = manager.addController({
      name: 'talkative',
      reconcile(_request, { events }) {
        for (let event = 0; event < 2000; event += 1) {
          const about = objectOf(WebApp, `app-${event}`);
          events.record(about, { reason: 'Tried', action: 'Try' });
        }
        runs += 1;
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => runs === 1 && controller.running === 0);
    const errors = 'controller_runtime_reconcile_errors_total';
    expect(await valueOf(manager, errors, { controller: 'talkative' })).toBe(0);
  });

  test('Two managers in one process share nothing that they were not given.', async () => {
    const { manager: first } = managers.make();
    const { manager: second } = managers.make();
    for (const manager of [first, second]) {
      manager.addController({ name: 'same', reconcile: nothing }).enqueue({ name: 'a' });
    }
    await running(first);
    const total = { controller: 'same', result: 'success' };
    const runs = (manager: typeof first): Promise<number | undefined> =>
      valueOf(manager, 'controller_runtime_reconcile_total', total);
    await eventually(async () => (await runs(first)) === 1);
    expect(await runs(second)).toBe(0);
    await first.stop();
    await running(second);
    await eventually(async () => (await runs(second)) === 1);
  });

  test('Invalid options throw at the call, and the error names the option.', () => {
    const { manager } = managers.make();
    const names = (act: () => unknown, option: string): void => {
      expect(act).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          facts: expect.objectContaining({ option }) as unknown,
        }),
      );
    };
    names(() => createManager({ gracePeriod: 'x' as never }), 'createManager.gracePeriod');
    names(() => createManager({ grace: 1 } as never), 'createManager.grace');
    const reconcile = nothing;
    names(() => manager.addController({ name: '', reconcile }), 'addController.name');
    names(
      () => manager.addRunnable({ name: 'a', phase: 'late' as never, run: nothing }),
      'addRunnable.phase',
    );
    const controller = manager.addController({ name: 'a', reconcile });
    names(() => controller.enqueue({ name: 'a' }, { after: 'soon' as never }), 'enqueue.after');
    names(() => controller.watch({ resource: 'Secret' as never, map: toSelf }), 'watch.resource');
  });
});
