import { describe, expect, test } from '@jest/globals';
import { builtin, type ObjectName } from '@keelson/apimachinery';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { Controller } from '../controller/controller.ts';
import { generationChanged } from '../sources/event-rules/predicate.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  running,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { ObstacleCode } from './explanation-facts.ts';

const { ConfigMap } = builtin;
const managers = managersOfTest();
const request = { namespace: 'default', name: 'a' };

/** A running controller for WebApps. */
async function controllerOf(
  options: Partial<ControllerOptions<WebApp>> = {},
): Promise<{ controller: Controller; cache: FakeCache }> {
  const { manager, cache } = managers.make();
  const all = { name: 'web-app', for: WebApp, reconcile: nothing, ...options };
  const controller = manager.addController(all);
  await running(manager);
  return { controller, cache };
}

function codesOf(controller: Controller): readonly ObstacleCode[] {
  return controller.explain(request).obstacles.map(({ code }) => code);
}

/** Replaces every text in a value and its members. */
function changeAll(value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null) changeAll(member);
    else if (typeof member === 'string') Object.assign(value, { [name]: 'changed' });
  }
}

/** A ConfigMap that names an owner. */
function childOf(owner: string, kind = 'WebApp'): ReturnType<typeof objectOf> {
  const ownerReferences = [
    { apiVersion: 'apps.example.com/v1', kind, name: owner, uid: 'u', controller: true },
  ];
  return objectOf(ConfigMap, 'child', { metadata: { ownerReferences } });
}

describe('explain names the runs of a request', () => {
  test('with their causes, the versions of the object, the time and the decision', async () => {
    const { controller, cache } = await controllerOf();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.explain(request).runs.at(0)?.decision === 'done');
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.explain(request).runs.length === 2);
    await eventually(() => codesOf(controller).includes('settled'));
    const explanation = controller.explain(request);
    expect(explanation).toMatchObject({
      controller: 'web-app',
      request: 'default/a',
      state: 'idle',
      events: [
        { source: 'for WebApp', reason: 'updated', object: 'default/a', before: '1', after: '2' },
        { source: 'for WebApp', reason: 'added', object: 'default/a', after: '1' },
      ],
      runs: [
        { attempt: 1, decision: 'done', causes: [{ source: 'for WebApp', reason: 'updated' }] },
        { attempt: 1, decision: 'done', causes: [{ source: 'for WebApp', reason: 'added' }] },
      ],
    });
    expect(explanation.text).toContain('request default/a of controller web-app is idle');
    expect(explanation.text).toContain('resourceVersion 1 → 2');
    expect(String(explanation)).toBe(explanation.text);
    expect(JSON.parse(JSON.stringify(explanation))).toMatchObject({ text: explanation.text });
  });

  test('with an error, and the wait for the retry', async () => {
    const failing = (): never => {
      throw new Error('no capacity');
    };
    const { controller } = await controllerOf({ reconcile: failing, backoff: { base: '1h' } });
    controller.enqueue(request);
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    const explanation = controller.explain(request);
    expect(explanation).toMatchObject({
      state: 'waiting',
      obstacles: [{ code: 'backing-off' }],
      events: [{ source: 'controller', reason: 'manual', object: undefined }],
      runs: [{ decision: 'retry', error: { name: 'Error', message: 'no capacity' } }],
    });
    const inMs = Date.parse(explanation.nextRun ?? '') - Date.now();
    expect(inMs).toBeGreaterThan(3_000_000);
    expect(explanation.text).toContain('failed with Error: no capacity, is retried');
  });

  test('with the message of an error in one line, as a terminal can show it', async () => {
    const failing = (): never => {
      throw new Error('line\n2026-01-01 forged\u001B[2J\u202E');
    };
    const { controller } = await controllerOf({ reconcile: failing, backoff: { base: '1h' } });
    controller.enqueue(request);
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    const { text, runs } = controller.explain(request);
    expect(text).toContain(String.raw`Error: line\n2026-01-01 forged\u001b[2J\u202e`);
    expect(runs[0]?.error?.message).toContain('\n');
  });

  test('as copies: a change of an explanation does not reach the history', async () => {
    const failing = (): never => {
      throw new Error('no capacity');
    };
    const { controller } = await controllerOf({ reconcile: failing, backoff: { base: '1h' } });
    controller.enqueue(request);
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    changeAll(controller.explain(request));
    expect(controller.explain(request).runs[0]?.error?.message).toBe('no capacity');
    expect(controller.explain(request).text).toContain('no capacity');
  });

  test('with the error of an invalid result', async () => {
    const reconcile = (): never => ({ requeueAfter: '5 bananas' }) as never;
    const { controller } = await controllerOf({ reconcile });
    controller.enqueue(request);
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    const explanation = controller.explain(request);
    expect(explanation.runs).toMatchObject([
      { decision: 'done', error: { code: 'INVALID_RESULT' } },
    ]);
    expect(explanation.text).toContain('INVALID_RESULT');
  });

  test('while one runs, with the id that its log has', async () => {
    const { opened, open } = gate();
    let id = '';
    const { controller } = await controllerOf({
      async reconcile(_request, { reconcileId }) {
        id = reconcileId;
        await opened;
      },
    });
    controller.enqueue(request);
    await eventually(() => id !== '');
    expect(controller.explain(request)).toMatchObject({ state: 'running', obstacles: [] });
    open();
    await eventually(() => controller.running === 0);
    expect(controller.explain(request).runs[0]?.reconcileId).toBe(id);
  });
});

describe('explain names what the queue did with each event', () => {
  test('superseded by a later one while a run holds the request, and the run for both', async () => {
    const gates = [gate(), gate()];
    let runs = 0;
    const { controller, cache } = await controllerOf({ reconcile: () => gates[runs++]?.opened });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.running === 1);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const before = controller.explain(request);
    expect(before.events).toMatchObject([
      { after: '3', decision: 'waiting', run: undefined },
      { after: '2', decision: 'superseded', run: undefined },
      { after: '1', decision: 'run', run: before.runs[0]?.at },
    ]);
    expect(before.text).toContain('1 → 2), superseded by a later event before a run began');
    expect(before.text).toContain('2 → 3), no run has begun since');
    gates[0]?.open();
    await eventually(() => runs === 2);
    const { events, runs: known, text } = controller.explain(request);
    expect(events).toMatchObject([
      { after: '3', decision: 'run', run: known[0]?.at },
      { after: '2', decision: 'superseded', run: known[0]?.at },
      { after: '1', decision: 'run', run: known[1]?.at },
    ]);
    expect(text).toContain(`superseded by a later event before the run at ${known[0]?.at}`);
    expect(text).toContain(`2 → 3), ran at ${known[0]?.at}`);
    gates[1]?.open();
  });

  test.each([
    ['requeueAfter', { requeueAfter: '1h' }],
    ['a backoff', { retry: true }],
  ] as const)('an event that supersedes the wait of %s', async (_what, first) => {
    const { opened, open } = gate();
    let runs = 0;
    const { controller, cache } = await controllerOf({
      backoff: { base: '1h' },
      reconcile({ name }) {
        if (name === 'other') return opened;
        runs += 1;
        return runs === 1 ? first : undefined;
      },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.explain(request).state === 'waiting');
    const [waiting] = controller.explain(request).runs;
    expect(waiting).toMatchObject({ isSuperseded: false });
    expect(Date.parse(waiting?.nextRun ?? '') - Date.now()).toBeGreaterThan(3_000_000);
    controller.enqueue({ namespace: 'default', name: 'other' });
    await eventually(() => controller.running === 1);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const queued = controller.explain(request);
    expect(queued).toMatchObject({ state: 'ready', runs: [{ isSuperseded: true }] });
    expect(queued.text).toContain(` at ${waiting?.nextRun}, superseded by an earlier run`);
    open();
    await eventually(() => runs === 2);
    expect(controller.explain(request).runs).toMatchObject([
      { nextRun: undefined, isSuperseded: false },
      { nextRun: waiting?.nextRun, isSuperseded: true },
    ]);
  });

  test('an event during the run, which supersedes the wait that the run returns', async () => {
    const { opened, open } = gate();
    let runs = 0;
    const reconcile = async (): Promise<Outcome | undefined> => {
      runs += 1;
      if (runs > 1) return undefined;
      await opened;
      return { requeueAfter: '1h' };
    };
    const { controller, cache } = await controllerOf({ reconcile });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => runs === 1);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    open();
    await eventually(() => runs === 2);
    expect(controller.explain(request).runs[1]).toMatchObject({
      decision: 'requeue',
      isSuperseded: true,
    });
  });

  test('once for each request of an update, whose mapper is called for both states', async () => {
    const map = (): ObjectName[] => ['a', 'b'].map((name) => ({ namespace: 'default', name }));
    const { controller, cache } = await controllerOf({ watches: [{ resource: ConfigMap, map }] });
    cache.set(ConfigMap, objectOf(ConfigMap, 'theme'));
    await eventually(() => codesOf(controller).includes('settled'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'theme'));
    for (const name of ['a', 'b']) {
      const { events } = controller.explain({ namespace: 'default', name });
      expect(events.map(({ reason }) => reason)).toEqual(['updated', 'added']);
    }
  });

  test('dropped, because the controller stopped', async () => {
    const { opened, open } = gate();
    const { controller, cache } = await controllerOf({ reconcile: () => opened });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.running === 1);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const stopped = controller.stop();
    expect(controller.explain(request).events).toMatchObject([
      { decision: 'purged', purgedFor: 'stopped' },
      { decision: 'run' },
    ]);
    expect(controller.explain(request).text).toContain(
      'dropped without a run: the controller stopped',
    );
    open();
    await stopped;
  });
});

describe('explain names why a request does not run', () => {
  test('before the start, during the sync, and after the stop', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    const controller = manager.addController({ name: 'c', for: WebApp, reconcile: nothing });
    expect(codesOf(controller)[0]).toBe('not-started');
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size > 0);
    cache.setHealth(WebApp, 'forbidden', 'webapps is forbidden');
    expect(controller.explain(request).obstacles[0]).toEqual({
      code: 'watch-not-live',
      text: 'the watch for WebApp is forbidden: webapps is forbidden',
    });
    expect(String(controller.explain())).toContain('webapps is forbidden (watch-not-live)');
    cache.sync(WebApp);
    await manager.started;
    await controller.stop();
    expect(codesOf(controller)[0]).toBe('stopped');
  });

  test('an object that does not exist', async () => {
    const { controller } = await controllerOf();
    expect(codesOf(controller)).toEqual(['unknown-object']);
  });

  test('an object outside of the namespaces', async () => {
    const { controller } = await controllerOf({ namespaces: ['shop'] });
    expect(codesOf(controller)).toEqual(['outside-namespaces']);
  });

  test('a predicate, by its name or its place', async () => {
    const never = (): boolean => false;
    const { controller, cache } = await controllerOf({
      predicates: [(event) => event.type !== 'deleted'],
      for: { resource: WebApp, predicates: [never] },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.set(WebApp, objectOf(WebApp, 'a'));
    expect(controller.explain(request)).toMatchObject({
      obstacles: [{ code: 'dropped' }],
      dropped: [{ predicate: 'never (predicates[0] of for WebApp)', count: 2, type: 'updated' }],
    });
    cache.delete(WebApp, request);
    expect(controller.explain(request).dropped[0]?.predicate).toBe(
      'predicates[0] of the controller',
    );
  });

  test.each([
    [
      'throws',
      {
        get() {
          throw new Error('no name');
        },
      },
    ],
    ['is no text', { value: Symbol('name') }],
  ])('a predicate by its place, if its name %s', async (_what, name) => {
    const never = Object.defineProperty((): boolean => false, 'name', name);
    const { controller, cache } = await controllerOf({
      for: { resource: WebApp, predicates: [never] },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    expect(controller.explain(request).dropped[0]?.predicate).toBe('predicates[0] of for WebApp');
  });

  test('a predicate that drops the events of an owned object', async () => {
    const { controller, cache } = await controllerOf({
      owns: [{ resource: ConfigMap, predicates: [generationChanged] }],
    });
    cache.set(ConfigMap, childOf('a'));
    await eventually(() => codesOf(controller).includes('settled'));
    cache.set(ConfigMap, childOf('a'));
    expect(controller.explain(request).dropped).toMatchObject([
      {
        source: 'owns ConfigMap',
        object: 'default/child',
        predicate: 'generationChanged (predicates[0] of owns ConfigMap)',
      },
    ]);
  });

  test('an owned object whose owner reference names another kind', async () => {
    const { controller, cache } = await controllerOf({ owns: [ConfigMap] });
    cache.set(ConfigMap, childOf('a', 'Website'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'other'));
    expect(controller.explain(request).dropped).toMatchObject([
      { object: 'default/child', reason: 'no-request' },
    ]);
  });

  test('a mapper that throws', async () => {
    const { controller, cache } = await controllerOf({
      watches: [
        {
          resource: ConfigMap,
          map({ name }) {
            if (name === 'b') return request;
            throw new Error('no');
          },
        },
      ],
    });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    // The mapper throws for the explanation too, so only the same key leads to the request.
    expect(controller.explain(request).dropped).toEqual([]);
    cache.set(ConfigMap, objectOf(ConfigMap, 'b'));
    await eventually(() => codesOf(controller).includes('settled'));
  });

  test('the latest dropped events, with a bounded number of calls of the mapper', async () => {
    let calls = 0;
    const { controller, cache } = await controllerOf({
      watches: [
        {
          resource: ConfigMap,
          predicates: [() => false],
          map() {
            calls += 1;
            return request;
          },
        },
      ],
    });
    for (let at = 0; at < 150; at += 1) cache.set(ConfigMap, objectOf(ConfigMap, `c${at}`));
    const { dropped } = controller.explain(request);
    expect(dropped).toHaveLength(20);
    expect(dropped[0]?.object).toBe('default/c149');
    expect(calls).toBe(20);
    calls = 0;
    expect(controller.explain({ namespace: 'default', name: 'other' }).dropped).toEqual([]);
    expect(calls).toBe(100);
  });

  test('no dropped event before the last one that passed', async () => {
    const { controller, cache } = await controllerOf({
      for: { resource: WebApp, predicates: [({ object }) => object.metadata.labels !== undefined] },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    expect(codesOf(controller)).toEqual(['dropped']);
    // The times of explanations have whole milliseconds.
    const passedAt = performance.now();
    await eventually(() => performance.now() > passedAt + 1);
    cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { labels: {} } }));
    await eventually(() => codesOf(controller).includes('settled'));
    expect(codesOf(controller)).toEqual(['settled']);
  });

  test('busy workers', async () => {
    const { opened, open } = gate();
    const { controller } = await controllerOf({ reconcile: () => opened });
    controller.enqueue({ namespace: 'default', name: 'other' });
    await eventually(() => controller.running === 1);
    controller.enqueue(request);
    expect(controller.explain(request)).toMatchObject({
      state: 'ready',
      obstacles: [{ code: 'busy', text: '1 requests are ready for 1 workers' }],
    });
    open();
  });

  test('a pause of the controller, and no busy workers beside it', async () => {
    const { controller } = await controllerOf();
    controller.pause();
    controller.enqueue(request);
    expect(controller.explain(request).state).toBe('ready');
    expect(codesOf(controller)).toEqual(['paused']);
  });

  test('a mapper that explains requests itself, and is called by no further explanation', async () => {
    let calls = 0;
    const { controller, cache } = await controllerOf({
      watches: [
        {
          resource: ConfigMap,
          predicates: [() => false],
          map: () => {
            calls += 1;
            controller.explain(request);
            return [request];
          },
        },
      ],
    });
    for (const name of ['one', 'two', 'three']) cache.set(ConfigMap, objectOf(ConfigMap, name));
    await eventually(() => controller.explain(request).dropped.length === 3);
    calls = 0;
    controller.explain(request);
    expect(calls).toBe(3);
  });

  test('a pause before the start of the manager', async () => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'early', for: WebApp, reconcile: nothing });
    controller.pause();
    expect(codesOf(controller)).toEqual(expect.arrayContaining(['not-started', 'paused']));
  });

  test('a run of an earlier controller of the name that has not ended', async () => {
    const { manager, cache } = managers.make({ gracePeriod: 0 });
    const end = gate();
    const options = { name: 'web-app', for: WebApp };
    const earlier = manager.addController({ ...options, reconcile: () => end.opened });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => earlier.running === 1);
    await earlier.stop();
    const controller = manager.addController({ ...options, reconcile: nothing });
    await controller.synced;
    await eventually(() => codesOf(controller).includes('earlier-run'));
    expect(controller.explain(request)).toMatchObject({
      state: 'ready',
      obstacles: [{ code: 'earlier-run' }],
    });
    expect([controller.length, controller.explain().ready]).toEqual([1, 1]);
    end.open();
    await eventually(() => controller.explain(request).runs.length === 1);
  });

  test('a stop behind a run of an earlier controller', async () => {
    const { manager, cache } = managers.make({ gracePeriod: 0 });
    const end = gate();
    const options = { name: 'web-app', for: WebApp };
    const earlier = manager.addController({ ...options, reconcile: () => end.opened });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => earlier.running === 1);
    await earlier.stop();
    const controller = manager.addController({ ...options, reconcile: nothing });
    await eventually(() => codesOf(controller).includes('earlier-run'));
    await controller.stop();
    expect(controller.length).toBe(0);
    expect(controller.explain(request).events).toMatchObject([
      { decision: 'purged', purgedFor: 'stopped' },
    ]);
    end.open();
  });

  test('the removal of the watch that caused it, behind a run of an earlier controller', async () => {
    const { manager, cache } = managers.make({ gracePeriod: 0 });
    const end = gate();
    const earlier = manager.addController({ name: 'late', reconcile: () => end.opened });
    await running(manager);
    earlier.enqueue(request);
    await eventually(() => earlier.running === 1);
    await earlier.stop();
    const controller = manager.addController({ name: 'late', reconcile: nothing });
    await controller.synced;
    const watch = controller.watch({ resource: ConfigMap, map: () => request });
    await watch.synced;
    cache.set(ConfigMap, objectOf(ConfigMap, 'x'));
    await eventually(() => codesOf(controller).includes('earlier-run'));
    await watch.remove();
    end.open();
    await eventually(() => controller.explain(request).state === 'idle');
    expect(controller.explain(request).events).toMatchObject([
      { decision: 'purged', purgedFor: 'watch-removed' },
    ]);
  });

  test('a stop, and nothing about watches that are gone', async () => {
    const { controller, cache } = await controllerOf();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.explain(request).runs.length === 1);
    await controller.stop();
    expect(codesOf(controller)).toEqual(['stopped', 'settled']);
  });

  test('a delay that ends after the last time that a Date has', async () => {
    const never = Number.MAX_SAFE_INTEGER;
    const { controller } = await controllerOf({ reconcile: () => ({ requeueAfter: never }) });
    controller.enqueue(request);
    await eventually(() => codesOf(controller).includes('delayed'));
    const { nextRun, runs } = controller.explain(request);
    expect([nextRun, runs[0]?.nextRun]).toEqual(Array(2).fill('+275760-09-13T00:00:00.000Z'));
  });

  test('requeueAfter, and the end of maxReconcileInterval', async () => {
    const { controller, cache } = await controllerOf({
      reconcile: ({ name }) => (name === 'a' ? { requeueAfter: '1h' } : undefined),
      maxReconcileInterval: '2h',
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => codesOf(controller).includes('delayed'));
    expect(controller.explain(request)).toMatchObject({
      state: 'waiting',
      obstacles: [{ code: 'delayed', text: 'its last run returned requeueAfter' }],
      runs: [{ decision: 'requeue' }],
    });
    cache.set(WebApp, objectOf(WebApp, 'b'));
    const other = { namespace: 'default', name: 'b' };
    await eventually(() => controller.explain(other).nextRun !== undefined);
    expect(controller.explain(other)).toMatchObject({ state: 'idle' });
  });

  test.each([
    ['debounce', { debounce: { wait: '1h' } }],
    ['eventRate', { eventRate: { burst: 1, perSecond: 0.001 } }],
    ['after', {}],
  ] as const)('%s, which delays its latest event', async (delayedBy, options) => {
    const { controller, cache } = await controllerOf(options);
    if (delayedBy === 'after') controller.enqueue(request, { after: '1h' });
    else cache.set(WebApp, objectOf(WebApp, 'a'));
    if (delayedBy === 'eventRate') {
      await eventually(() => codesOf(controller).includes('settled'));
      cache.set(WebApp, objectOf(WebApp, 'a'));
    }
    await eventually(() => controller.explain(request).state === 'waiting');
    const { events, obstacles, text } = controller.explain(request);
    expect(events[0]).toMatchObject({ delayedBy, delay: expect.any(Number) });
    expect(obstacles[0]).toEqual({
      code: 'delayed',
      text: expect.stringMatching(
        new RegExp(`^its latest event was delayed for \\d+ ms by ${delayedBy}$`),
      ),
    });
    expect(text).toContain(`ms by ${delayedBy}`);
  });

  test('a dead letter', async () => {
    const { controller, cache } = await controllerOf({
      reconcile: () => {
        throw new TerminalError('invalid spec');
      },
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.explain(request).runs[0]?.duration !== undefined);
    expect(controller.explain(request)).toMatchObject({
      obstacles: [{ code: 'dead-letter' }],
      runs: [
        { decision: 'dead-letter', error: { message: expect.stringContaining('invalid spec') } },
      ],
    });
  });

  test('the removal of the watch that caused it', async () => {
    const { opened, open } = gate();
    const { controller, cache } = await controllerOf({ reconcile: () => opened });
    controller.enqueue({ namespace: 'default', name: 'other' });
    await eventually(() => controller.running === 1);
    const watch = controller.watch({ resource: ConfigMap, map: () => request });
    cache.set(ConfigMap, objectOf(ConfigMap, 'x'));
    const removed = watch.remove();
    expect(codesOf(controller)).toContain('watch-removed');
    expect(controller.explain(request).events).toMatchObject([
      { decision: 'purged', purgedFor: 'watch-removed' },
    ]);
    open();
    await removed;
  });
});

describe('the history of a controller', () => {
  test('is a gauge, and absent with historyBytes 0, where explain knows the present state', async () => {
    const { manager, cache } = managers.make({ controllers: { historyBytes: 0 } });
    const without = manager.addController({ name: 'without', for: WebApp, reconcile: nothing });
    const having = { name: 'with', for: WebApp, reconcile: nothing, historyBytes: 100_000 };
    manager.addController(having);
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => without.length === 0 && without.running === 0);
    const metric = 'keelson_history_bytes';
    expect(await valueOf(manager, metric, { controller: 'with' })).toBeGreaterThan(0);
    expect(await valueOf(manager, metric, { controller: 'without' })).toBeUndefined();
    const explanation = without.explain(request);
    expect(explanation).toMatchObject({ hasHistory: false, events: [], runs: [] });
    expect(explanation.text).toContain('historyBytes is 0');
  });

  test('explains requests through the manager by the name of the controller', async () => {
    const { manager } = managers.make();
    manager.addController({ name: 'one', for: WebApp, reconcile: nothing });
    await running(manager);
    expect(manager.explain().map(({ controller, state }) => [controller, state])).toEqual([
      ['one', 'running'],
    ]);
    expect(manager.explain('one', request).request).toBe('default/a');
    expect(() => manager.explain('two', request)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_CONTROLLER',
        facts: { controller: 'two', known: ['one'] },
      }),
    );
    expect(() => manager.explain('one', undefined as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    expect(() => manager.explain('one', { name: 'a/b' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('the debug server', () => {
  test('explains controllers and requests to readers with the token', async () => {
    const { manager } = managers.make({ servers: { debug: 0 } });
    manager.addController({ name: 'one', for: WebApp, reconcile: nothing });
    await running(manager);
    const url = `http://127.0.0.1:${manager.ports.debug}/debug/explain`;
    const headers = { authorization: `Bearer ${manager.debugToken}` };
    const read = (query: string): Promise<Response> => fetch(`${url}${query}`, { headers });
    expect((await fetch(url)).status).toBe(401);
    expect(await (await read('')).json()).toMatchObject([
      { controller: 'one', kind: 'WebApp', state: 'running' },
    ]);
    expect(await (await read('?controller=one&request=default/a')).json()).toMatchObject({
      request: 'default/a',
      obstacles: [{ code: 'unknown-object' }],
    });
    const text = await read('?controller=one&request=default/a&format=text');
    expect(await text.text()).toMatch(/^request default\/a of controller one is idle/);
    const unknown = await read('?controller=two%1b[2J&request=default/a');
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain(String.raw`two\u001b[2J`);
    expect((await read('?controller=one')).status).toBe(400);
  });
});
