import { describe, expect, test } from '@jest/globals';
import {
  builtin,
  generationChanged,
  type Client,
  type Controller,
  type Manager,
  type ReconcileContext,
  type Request,
} from '@keelson/manager';
import {
  eventually,
  managersOfTest,
  running,
  silent,
  WebApp,
} from './testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;
const pool = managersOfTest();
const web = { namespace: 'default', name: 'web' };

function webApp(image = 'nginx'): WebApp {
  const metadata = { ...web };
  return { apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata, spec: { image } };
}

async function create(client: Client): Promise<void> {
  await client.create(WebApp, webApp());
}

// #region ask
function whyNot(manager: Manager, name: string): string {
  const explanation = manager.explain('web-app', { namespace: 'shop', name });
  for (const { code } of explanation.obstacles) {
    if (code === 'unknown-object') return `create the WebApp ${name} first`;
  }
  return explanation.text;
}
// #endregion

// #region level
function debugFor(controller: Controller, milliseconds: number): void {
  const { logLevel } = controller;
  controller.logLevel = 'debug';
  setTimeout(() => (controller.logLevel = logLevel), milliseconds).unref();
}
// #endregion

// #region loop
async function looping(request: Request, { cache, patchStatus }: ReconcileContext): Promise<void> {
  const app = cache.get(WebApp, request);
  if (app === undefined) return;
  // Each run writes another status, whose event leads to the next run.
  await patchStatus(WebApp, app, { ready: app.status?.ready !== true });
}
// #endregion

// #region loop-cure
function addQuiet(manager: Manager): Controller {
  return manager.addController({
    name: 'web-app',
    for: { resource: WebApp, predicates: [generationChanged] },
    async reconcile(request, { cache, patchStatus }) {
      const app = cache.get(WebApp, request);
      if (app !== undefined) await patchStatus(WebApp, app, { ready: true });
    },
  });
}
// #endregion

// #region never
function neverReason(controller: Controller): readonly string[] {
  const { obstacles, watches } = controller.explain();
  const silentWatches = watches.filter(({ state }) => state !== 'live');
  return [
    ...obstacles.map(({ text }) => text),
    ...silentWatches.map(({ resource, error }) => `${resource}: ${error?.message ?? 'no error'}`),
  ];
}
// #endregion

// #region slow
function slowestCalls(controller: Controller, request: Request): readonly string[] {
  const calls = controller.explain(request).runs.flatMap((run) => run.calls);
  return calls
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, 3)
    .map(({ verb, path, code, ms }) => `${verb} ${path}: ${code}, ${Math.round(ms)} ms`);
}
// #endregion

// #region leak
function heldWatches(manager: Manager): readonly string[] {
  return manager.cache
    .inventory()
    .toSorted((one, other) => other.bytes - one.bytes)
    .map(({ query, bytes, handles }) => {
      const owners = handles.map(({ owner }) => owner).join(', ');
      return `${query.resource.plural} ${query.namespace ?? '*'}: ${bytes} bytes for ${owners}`;
    });
}
// #endregion

// #region fight
async function lastWriters(controller: Controller, request: Request): Promise<readonly string[]> {
  const writers = await controller.explain(request).writers();
  return writers.flatMap(({ object, managers }) =>
    managers.map(({ manager, operation, at }) => `${object}: ${operation} by ${manager} at ${at}`),
  );
}
// #endregion

describe('the guide to debugging', () => {
  test('explains a request of the manager, and of an object that does not exist', async () => {
    const manager = pool.make();
    manager.addController({ name: 'web-app', for: WebApp, reconcile: () => undefined });
    await running(manager);
    expect(whyNot(manager, 'web')).toBe('create the WebApp web first');
  });

  test('finds a controller that loops by the causes of its runs', async () => {
    const manager = pool.make();
    const controller = manager.addController({
      name: 'web-app',
      for: WebApp,
      eventRate: { burst: 3, perSecond: 1 },
      reconcile: looping,
    });
    await running(manager);
    await create(manager.client);
    await eventually(() => controller.explain(web).events.some(({ delay }) => delay > 0));
    const { events, text } = controller.explain(web);
    expect(events.filter(({ reason }) => reason === 'updated').length).toBeGreaterThan(2);
    expect(text).toMatch(/delayed for \d+ ms by eventRate/);
  });

  test('finds the predicate that ends the loop', async () => {
    const manager = pool.make();
    const controller = addQuiet(manager);
    await running(manager);
    await create(manager.client);
    await eventually(() => controller.explain(web).dropped.length > 0);
    expect(controller.explain(web).dropped[0]?.predicate).toContain('generationChanged');
  });

  test('finds a watch of a kind that is not served', async () => {
    const manager = pool.make();
    const controller = manager.addController({
      name: 'web-app',
      for: WebApp,
      owns: [ConfigMap],
      reconcile: () => undefined,
    });
    expect(neverReason(controller)).toContain('the manager has not started it');
    await running(manager);
    expect(neverReason(controller)).toEqual([]);
  });

  test('finds slow requests, the owners of watches, and the last writers of an object', async () => {
    const manager = pool.make();
    const controller = manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile: async ({ name, namespace }, { client }) =>
        void (await client.get(ConfigMap, { namespace, name }).catch(() => undefined)),
    });
    await running(manager);
    const writer = manager.client.withFieldManager('kubectl-edit');
    await writer.apply(WebApp, webApp());
    await eventually(() => controller.explain(web).runs[0]?.duration !== undefined);
    expect(slowestCalls(controller, web)[0]).toMatch(
      /^get \/api\/v1\/namespaces\/default\/configmaps\/web: 404, \d+ ms$/,
    );
    expect(heldWatches(manager)).toEqual([
      expect.stringMatching(/^webapps \*: \d+ bytes for web-app#1: for WebApp$/),
    ]);
    expect(await lastWriters(controller, web)).toEqual([
      expect.stringMatching(/^default\/web: Apply by kubectl-edit at 20/),
    ]);
  });

  test('changes the level of one controller for a time', () => {
    const manager = pool.make({ logger: silent.child({}) });
    const controller = manager.addController({ name: 'one', reconcile: () => undefined });
    debugFor(controller, 1);
    expect(controller.logLevel).toBe('debug');
  });
});
