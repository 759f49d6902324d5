import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import type { Controller } from './controller.ts';
import { viewOf, type FakeCache } from './fake-cache.test-support.ts';
import {
  eventually,
  gate,
  ManagerPool,
  objectOf,
  recordingLogger,
  running,
  valueOf,
  WebApp,
  useFakeTime,
} from './fixtures.test-support.ts';
import type { Outcome, ReconcileContext } from './reconcile.ts';
import type { Request } from './request.ts';
import { TerminalError } from './terminal-error.ts';

const { ConfigMap, Deployment, Secret } = builtin;

const managers = new ManagerPool();
const managerOf = managers.make;

afterEach(async () => {
  jest.useRealTimers();
  await managers.stopAll();
});

describe('a controller', () => {
  test('CT01 reconcile gets the request and a live signal', async () => {
    const { manager, cache } = managerOf();
    const seen: { request: Request; aborted: boolean }[] = [];
    manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile(request, { signal }) {
        seen.push({ request, aborted: signal.aborted });
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([{ request: { namespace: 'default', name: 'a' }, aborted: false }]);
  });

  test('CT02 a throw, also of what is no Error, is an error outcome and counted', async () => {
    const { manager } = managerOf({ controllers: { backoff: { base: '1h' } } });
    let runs = 0;
    const controller = manager.addController({
      name: 'failing',
      reconcile({ name }) {
        runs += 1;
        // oxlint-disable-next-line typescript/only-throw-error
        throw name === 'error' ? new Error('no') : 'not an error';
      },
    });
    await running(manager);
    controller.enqueue({ name: 'error' });
    controller.enqueue({ name: 'text' });
    await eventually(() => runs === 2 && controller.running === 0);
    const labels = { controller: 'failing' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_errors_total', labels)).toBe(2);
    expect(await valueOf(manager, 'controller_runtime_reconcile_panics_total', labels)).toBe(1);
    expect(
      await valueOf(manager, 'controller_runtime_reconcile_total', { ...labels, result: 'error' }),
    ).toBe(2);
  });

  test('CT03, CT04 the timeout aborts the signal and keeps the slot; only our own deadline counts as a timeout', async () => {
    useFakeTime();
    const { manager } = managerOf();
    const end = gate();
    const contexts: ReconcileContext[] = [];
    const controller = manager.addController({
      name: 'slow',
      timeout: '1s',
      async reconcile(_request, context) {
        contexts.push(context);
        if (contexts.length === 1) await end.opened;
        else throw new DOMException('somebody else gave up', 'TimeoutError');
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'first' });
    controller.enqueue({ name: 'second' });
    await jest.advanceTimersByTimeAsync(999);
    expect(contexts[0]?.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: 'RECONCILE_TIMEOUT' });
    expect(contexts).toHaveLength(1);
    expect(controller.running).toBe(1);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(contexts.length).toBeGreaterThan(1);
    const labels = { controller: 'slow' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_timeouts_total', labels)).toBe(1);
  });

  test('CT03 there is no deadline at timeout 0', async () => {
    useFakeTime();
    const { manager } = managerOf();
    const end = gate();
    let signal: AbortSignal | undefined;
    const controller = manager.addController({
      name: 'patient',
      timeout: 0,
      async reconcile(_request, context) {
        signal = context.signal;
        await end.opened;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(10_000_000);
    expect(signal?.aborted).toBe(false);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('CT17, CT18 success forgets, a throw backs off', async () => {
    useFakeTime();
    const { manager } = managerOf({ controllers: { backoff: { base: 100, max: '1h' } } });
    const attempts: number[] = [];
    let fails = true;
    const controller = manager.addController({
      name: 'flaky',
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        if (fails) throw new Error('not yet');
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(attempts).toEqual([1]);
    await jest.advanceTimersByTimeAsync(98);
    expect(attempts).toEqual([1]);
    await jest.advanceTimersByTimeAsync(2);
    expect(attempts).toEqual([1, 2]);
    fails = false;
    await jest.advanceTimersByTimeAsync(201);
    expect(attempts).toEqual([1, 2, 3]);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('CT19 a TerminalError, also as a cause, is counted and not retried', async () => {
    useFakeTime();
    const { manager } = managerOf();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'strict',
      reconcile({ name }) {
        seen.push(name);
        const terminal = new TerminalError('the spec is wrong');
        throw name === 'plain' ? terminal : new Error('wrapped', { cause: terminal });
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'plain' });
    controller.enqueue({ name: 'wrapped' });
    await jest.advanceTimersByTimeAsync(10_000_000);
    expect(seen).toEqual(['plain', 'wrapped']);
    const labels = { controller: 'strict' };
    expect(
      await valueOf(manager, 'controller_runtime_terminal_reconcile_errors_total', labels),
    ).toBe(2);
  });

  test.each<[string, Outcome, number, string]>([
    ['CT21 retry → backoff', { retry: true }, 100, 'requeue'],
    ['CT23 requeueAfter → exactly that delay', { requeueAfter: '7s' }, 7000, 'requeue_after'],
    ['CT23 requeueAfter beats retry', { requeueAfter: 20, retry: true }, 20, 'requeue_after'],
  ])('%s', async (_name, outcome, delay, result) => {
    useFakeTime();
    const { manager } = managerOf({ controllers: { backoff: { base: 100 } } });
    let runs = 0;
    const controller = manager.addController({
      name: 'again',
      reconcile() {
        runs += 1;
        return runs === 1 ? outcome : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(delay - 1);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    const labels = { controller: 'again', result };
    expect(await valueOf(manager, 'controller_runtime_reconcile_total', labels)).toBe(1);
  });

  test('CT23 requeueAfter resets the failures', async () => {
    useFakeTime();
    const { manager } = managerOf({ controllers: { backoff: { base: 1 } } });
    const attempts: number[] = [];
    const controller = manager.addController({
      name: 'resets',
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        if (attempts.length < 3) throw new Error('no');
        return attempts.length === 3 ? { requeueAfter: 5 } : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(100);
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('CT24 a throw beats a result: what is wrong with the result fails the run', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managerOf({ logger, controllers: { backoff: { base: '1h' } } });
    const controller = manager.addController({
      name: 'wrong',
      reconcile: () => ({ requeueAfter: 'soon' }),
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => lines.some((line) => line['message'] === 'reconcile failed'));
    const failure = lines.find((line) => line['message'] === 'reconcile failed');
    expect(failure).toMatchObject({ controller: 'wrong', name: 'a', attempt: 1 });
    expect(failure?.['error']).toMatchObject({ code: 'INVALID_OPTION' });
    const labels = { controller: 'wrong', result: 'error' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_total', labels)).toBe(1);
  });

  test("CT22 the priority is kept on retry, and a result's priority overrides it", async () => {
    useFakeTime();
    const { manager } = managerOf();
    const priorities: number[] = [];
    const controller = manager.addController({
      name: 'ranked',
      reconcile(_request, { priority }): Outcome | undefined {
        priorities.push(priority);
        if (priorities.length === 1) throw new Error('no');
        return priorities.length === 2 ? { retry: true, priority: 3 } : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' }, { priority: 7 });
    await jest.advanceTimersByTimeAsync(100);
    expect(priorities).toEqual([7, 7, 3]);
  });

  test('CT25 metrics per outcome; active workers go back to 0', async () => {
    const { manager } = managerOf({ controllers: { backoff: { base: '1h' } } });
    const end = gate();
    const outcomes: Record<string, () => Outcome | undefined> = {
      success: () => undefined,
      error: () => {
        throw new Error('no');
      },
      requeue: () => ({ retry: true }),
      requeue_after: () => ({ requeueAfter: '1h' }),
    };
    const controller = manager.addController({
      name: 'counted',
      concurrency: 4,
      async reconcile({ name }) {
        await end.opened;
        return outcomes[name]?.();
      },
    });
    const total = 'controller_runtime_reconcile_total';
    const active = 'controller_runtime_active_workers';
    await running(manager);
    for (const result of Object.keys(outcomes)) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await valueOf(manager, total, { controller: 'counted', result })).toBe(0);
      controller.enqueue({ name: result });
    }
    await eventually(() => controller.running === 4);
    expect(await valueOf(manager, active, { controller: 'counted' })).toBe(4);
    end.open();
    await eventually(() => controller.running === 0);
    expect(await valueOf(manager, active, { controller: 'counted' })).toBe(0);
    for (const result of Object.keys(outcomes)) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await valueOf(manager, total, { controller: 'counted', result })).toBe(1);
    }
  });

  test('CT28 each reconcile has an id of its own in its log context', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managerOf({ logger });
    const ids: string[] = [];
    const controller = manager.addController({
      name: 'told',
      reconcile(_request, { log, reconcileId }) {
        ids.push(reconcileId);
        log.info({ step: 'one' }, 'working');
      },
    });
    await running(manager);
    controller.enqueue({ namespace: 'n', name: 'a' });
    controller.enqueue({ namespace: 'n', name: 'b' });
    await eventually(() => ids.length === 2);
    const told = lines.filter((line) => line['message'] === 'working');
    expect(told.map((line) => line['reconcileId'])).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    expect(told[0]).toMatchObject({ controller: 'told', namespace: 'n', name: 'a', step: 'one' });
  });

  test('CT29 a duplicate name throws; the name is free after removal', async () => {
    const { manager } = managerOf();
    const reconcile = (): void => undefined;
    const first = manager.addController({ name: 'one', reconcile });
    expect(() => manager.addController({ name: 'one', reconcile })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CONTROLLER', facts: { name: 'one' } }),
    );
    await first.stop();
    expect(manager.addController({ name: 'one', reconcile }).name).toBe('one');
  });

  test('CT32 for, owns and watches enqueue on create, update and delete, and not on unrelated objects', async () => {
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    manager.addController({
      name: 'wired',
      for: WebApp,
      owns: [Deployment],
      watches: [
        {
          resource: Secret,
          map: (secret) =>
            secret.metadata.labels?.['app'] === undefined
              ? undefined
              : { namespace: 'default', name: secret.metadata.labels['app'] },
        },
      ],
      reconcile({ name }, { causes }) {
        seen.push(`${name}: ${causes.map(({ source, reason }) => `${source} ${reason}`).join()}`);
      },
    });
    await running(manager);
    const hears = async (act: () => void, ...expected: string[]): Promise<void> => {
      seen.length = 0;
      act();
      await eventually(() => seen.length >= expected.length);
      expect(seen).toEqual(expected);
    };
    const owned = { metadata: { ownerReferences: [ownerOf('web')] } };
    const labelled = { metadata: { labels: { app: 'web' } } };
    const at = (name: string): { namespace: string; name: string } => ({
      namespace: 'default',
      name,
    });
    await hears(() => cache.set(WebApp, objectOf(WebApp, 'web')), 'web: for WebApp added');
    await hears(() => cache.set(WebApp, objectOf(WebApp, 'web')), 'web: for WebApp updated');
    await hears(
      () => cache.set(Deployment, objectOf(Deployment, 'd', owned)),
      'web: owns Deployment added',
    );
    await hears(
      () => cache.set(Deployment, objectOf(Deployment, 'd', owned)),
      'web: owns Deployment updated',
    );
    await hears(() => cache.delete(Deployment, at('d')), 'web: owns Deployment deleted');
    await hears(
      () => cache.set(Secret, objectOf(Secret, 's', labelled)),
      'web: watch Secret added',
    );
    await hears(
      () => cache.set(Secret, objectOf(Secret, 's', labelled)),
      'web: watch Secret updated',
    );
    await hears(() => cache.delete(Secret, at('s')), 'web: watch Secret deleted');
    await hears(() => cache.set(Deployment, objectOf(Deployment, 'unrelated')));
    await hears(() => cache.set(Secret, objectOf(Secret, 'unrelated')));
    await hears(() => cache.delete(WebApp, at('web')), 'web: for WebApp deleted');
  });

  test('CT36 on update a mapper maps old and new, the union deduplicated', async () => {
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    manager.addController({
      name: 'mapped',
      watches: [
        {
          resource: Secret,
          map: (secret) =>
            (secret.metadata.labels?.['apps'] ?? '').split('.').map((name) => ({ name })),
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    const labelled = (apps: string): { metadata: object } => ({ metadata: { labels: { apps } } });
    cache.set(Secret, objectOf(Secret, 's', labelled('a.b')));
    await eventually(() => seen.length === 2);
    seen.length = 0;
    cache.set(Secret, objectOf(Secret, 's', labelled('b.c')));
    await eventually(() => seen.length >= 3);
    expect(seen.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('CT36 a mapper that throws is counted, and the source lives on', async () => {
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    manager.addController({
      name: 'throwing-map',
      watches: [
        {
          resource: Secret,
          map(secret) {
            if (secret.name === 'bad') throw new Error('cannot map');
            return { name: secret.name };
          },
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'bad'));
    cache.set(Secret, objectOf(Secret, 'good'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['good']);
    const labels = { controller: 'throwing-map' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('CT36 what is no request is counted, and the source lives on', async () => {
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    manager.addController({
      name: 'sloppy-map',
      watches: [
        {
          resource: Secret,
          map: ({ name }) => (name === 'bad' ? ([null, 'text'] as never) : { name }),
        },
      ],
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    cache.set(Secret, objectOf(Secret, 'bad'));
    cache.set(Secret, objectOf(Secret, 'good'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['good']);
    const labels = { controller: 'sloppy-map' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('CT35 a predicate vetoes; one that throws lets pass and is counted', async () => {
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    manager.addController({
      name: 'choosy',
      for: {
        resource: WebApp,
        predicates: [
          ({ object }) => object.name !== 'vetoed',
          ({ object }) => {
            if (object.name === 'odd') throw new Error('cannot tell');
            return true;
          },
        ],
      },
      reconcile({ name }) {
        seen.push(name);
      },
    });
    await running(manager);
    for (const name of ['vetoed', 'odd', 'passed']) cache.set(WebApp, objectOf(WebApp, name));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['odd', 'passed']);
    const labels = { controller: 'choosy' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('CT38 concurrency 8, 100 events on one key while it runs: no overlap, exactly one more run', async () => {
    const { manager, cache } = managerOf();
    const gates = [gate(), gate()];
    let runs = 0;
    let overlapping = 0;
    let mostOverlapping = 0;
    manager.addController({
      name: 'exclusive',
      for: WebApp,
      concurrency: 8,
      async reconcile() {
        overlapping += 1;
        mostOverlapping = Math.max(mostOverlapping, overlapping);
        const own = gates[runs];
        runs += 1;
        await own?.opened;
        overlapping -= 1;
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => runs === 1);
    for (let count = 0; count < 100; count += 1) cache.set(WebApp, objectOf(WebApp, 'a'));
    gates[0]?.open();
    await eventually(() => runs === 2);
    gates[1]?.open();
    await eventually(() => overlapping === 0);
    expect({ runs, mostOverlapping }).toEqual({ runs: 2, mostOverlapping: 1 });
  });

  test('CT38 a blocked key never delays another, and a slow controller never delays another controller', async () => {
    const { manager } = managerOf();
    const end = gate();
    const done: string[] = [];
    const add = (name: string, concurrency: number): Controller =>
      manager.addController({
        name,
        concurrency,
        async reconcile(request) {
          if (request.name === 'blocked') await end.opened;
          done.push(`${name}/${request.name}`);
        },
      });
    const slow = add('slow', 2);
    const other = add('other', 1);
    await running(manager);
    slow.enqueue({ name: 'blocked' });
    await eventually(() => slow.running === 1);
    slow.enqueue({ name: 'blocked' });
    slow.enqueue({ name: 'free' });
    other.enqueue({ name: 'free' });
    await eventually(() => done.length === 2);
    expect(done.toSorted()).toEqual(['other/free', 'slow/free']);
    end.open();
    await eventually(() => done.length === 4);
  });

  test('CT41 delete and re-create under one name: fresh failures, a new run', async () => {
    const { manager, cache } = managerOf({ controllers: { backoff: { base: '1h' } } });
    const attempts: number[] = [];
    const controller = manager.addController({
      name: 'reborn',
      for: WebApp,
      reconcile(_request, { attempt, cache: reader }) {
        attempts.push(attempt);
        if (reader.get(WebApp, { namespace: 'default', name: 'a' }) !== undefined) {
          throw new Error('always fails');
        }
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 1 && controller.running === 0);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 2 && controller.running === 0);
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => attempts.length === 3);
    expect(attempts).toEqual([1, 2, 1]);
  });

  test('CT42 the object vanishes between queue and worker: the key is not stuck', async () => {
    const { manager, cache } = managerOf();
    const seen: boolean[] = [];
    const controller = manager.addController({
      name: 'late',
      for: WebApp,
      reconcile(request, { cache: reader }) {
        seen.push(reader.get(WebApp, request) !== undefined);
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await eventually(() => seen.length === 1 && controller.running === 0);
    expect(seen).toEqual([false]);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([false, true]);
  });

  test('CT45 manual enqueue follows the same rules; on a stopped controller it throws', async () => {
    const { manager } = managerOf();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'by-hand',
      reconcile({ name }, { causes, priority }) {
        seen.push(`${name} ${priority} ${causes[0]?.source} ${causes[0]?.reason}`);
      },
    });
    controller.enqueue({ name: 'early' });
    controller.enqueue({ name: 'early' }, { priority: 2 });
    await running(manager);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['early 2 controller manual']);
    await controller.stop();
    expect(() => controller.enqueue({ name: 'late' })).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
    expect(() => controller.watch({ resource: Secret, map: () => undefined })).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
  });

  test('PQ30 sources lower the priority of what is no news; an explicit priority is kept', async () => {
    const { manager, cache } = managerOf();
    cache.set(WebApp, objectOf(WebApp, 'old'));
    cache.set(Secret, objectOf(Secret, 'explicit'));
    const seen: string[] = [];
    manager.addController({
      name: 'calm',
      for: WebApp,
      watches: [{ resource: Secret, priority: 5, map: ({ name }) => ({ name }) }],
      reconcile({ name }, { priority }) {
        seen.push(`${name} ${priority}`);
      },
    });
    await running(manager);
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['explicit 5', 'old -100']);
    seen.length = 0;
    const added = cache.set(WebApp, objectOf(WebApp, 'new'));
    await eventually(() => seen.length === 1);
    cache.set(WebApp, objectOf(WebApp, 'new'));
    await eventually(() => seen.length === 2);
    resync(cache, added);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['new 0', 'new 0', 'new -100']);
  });

  test.each([1, 4])(
    'long queues of quick reconciles in %i controllers let the event loop turn',
    async (count) => {
      const { manager } = managerOf();
      let runs = 0;
      for (let number = 0; number < count; number += 1) {
        const controller = manager.addController({
          name: `quick-${number}`,
          reconcile() {
            runs += 1;
            const until = performance.now() + 1;
            while (performance.now() < until);
          },
        });
        for (let at = 0; at < 100 / count; at += 1) controller.enqueue({ name: `n${at}` });
      }
      manager.start().catch(() => undefined);
      let turns = 0;
      await eventually(() => {
        if (runs > 0) turns += 1;
        return runs === 100;
      });
      expect(turns).toBeGreaterThanOrEqual(10);
    },
  );

  test('CT46 one controller over many kinds: the request carries the kind as typed data', async () => {
    interface KindRequest {
      readonly kind: 'Secret' | 'ConfigMap';
      readonly name: string;
    }
    const { manager, cache } = managerOf();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'many-kinds',
      watches: [
        { resource: Secret, map: ({ name }) => ({ kind: 'Secret' as const, name }) },
        { resource: ConfigMap, map: ({ name }) => [{ name, kind: 'ConfigMap' as const }] },
      ],
      reconcile: ({ kind, name }: KindRequest) => void seen.push(`${kind} ${name}`),
    });
    cache.set(Secret, objectOf(Secret, 'a'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    controller.enqueue({ name: 'a', kind: 'Secret' });
    await running(manager);
    await eventually(() => seen.length >= 2 && controller.length === 0);
    expect(seen.toSorted()).toEqual(['ConfigMap a', 'Secret a']);
  });

  test('PQ30 the priority of what is no news is configurable', async () => {
    const { manager, cache } = managerOf();
    cache.set(WebApp, objectOf(WebApp, 'old'));
    const seen: number[] = [];
    manager.addController({
      name: 'eager',
      for: WebApp,
      initialPriority: -3,
      reconcile(_request, { priority }) {
        seen.push(priority);
      },
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([-3]);
  });
});

function ownerOf(name: string): object {
  return { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name, uid: 'u', controller: true };
}

function resync(cache: FakeCache, object: KubernetesObject): void {
  const view = viewOf(object);
  const { key } = view;
  cache.emit(WebApp, { type: 'updated', previous: view, object: view, key, receivedAt: 0 });
}
