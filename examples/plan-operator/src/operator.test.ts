import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, findCondition, type Manager, type Persisted } from '@keelson/manager';
import { advancePlan } from './advance-plan.ts';
import { Instance } from './custom-resource.ts';
import { PlanWorld } from './plan-world.test-support.ts';
import { tour } from './tour.ts';

const annotation = 'examples.keelson.dev/last-applied';

let world: PlanWorld;
let steps: string[];

beforeEach(async () => {
  world = await PlanWorld.open();
  steps = [];
  world.hook = (step, { spec }) => void steps.push(`${step} ${spec.version}`);
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

function readyOf({ status }: Instance): object | undefined {
  return findCondition(status?.conditions, 'Ready');
}

/** Deploys version 1 with one replica. Returns the operator. */
async function deployed(policy: 'queue' | 'supersede' = 'queue'): Promise<Manager> {
  const operator = await world.start(policy);
  await world.create('shop', { version: '1', replicas: 1 });
  await world.idle('shop', 1);
  steps.length = 0;
  return operator;
}

/** Resolves after the operator has reconciled an object with success. */
async function reconciled({ registry }: Manager): Promise<void> {
  const successes = async (): Promise<number> => {
    const metric = await registry.getSingleMetric('controller_runtime_reconcile_total')?.get();
    const found = metric?.values.find(({ labels }) => labels['result'] === 'success');
    return found?.value ?? 0;
  };
  while ((await successes()) === 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves in the hook of a step, and keeps the step until its signal aborts or `release` is called. */
function hold(name: string): { readonly reached: Promise<void>; readonly release: () => void } {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.hook = async (step, { spec, signal }) => {
    steps.push(`${step} ${spec.version}`);
    if (step !== name) return;
    reached.resolve();
    signal.addEventListener('abort', () => released.resolve());
    await released.promise;
    signal.throwIfAborted();
  };
  return { reached: reached.promise, release: released.resolve };
}

describe('plan-operator', () => {
  test('R3-01 R3-03 changes 1→2→3 while it is down are one plan, which the difference selects', async () => {
    const operator = await world.start();
    await world.create('shop', { version: '1', replicas: 1 });
    const first = await world.idle('shop', 1);
    expect(steps).toHaveLength(5);
    expect(readyOf(first)).toMatchObject({ status: 'True', observedGeneration: 1 });
    await world.stop(operator);
    await world.change('shop', { version: '2' });
    await world.change('shop', { version: '3', replicas: 2 });
    await world.start();
    const last = await world.idle('shop', 3);
    expect(steps.slice(5)).toEqual([
      'upgrade/backup/pull 3',
      'upgrade/backup/backup 3',
      'upgrade/servers/settings 3',
      'upgrade/servers/servers 3',
    ]);
    expect(readyOf(last)).toMatchObject({ status: 'True', observedGeneration: 3 });
    await world.change('shop', { replicas: 4 });
    await world.idle('shop', 4);
    expect(steps.slice(9)).toEqual(['scale/servers/settings 3', 'scale/servers/servers 3']);
  });

  test('R3-04 R3-15 a restart of an idle operator writes nothing, and no history is kept', async () => {
    await world.stop(await deployed());
    const writes = { verb: ['create', 'update', 'patch', 'delete'] };
    const before = world.server.stats.requests(writes);
    await reconciled(await world.start());
    expect(world.server.stats.requests(writes)).toBe(before);
    expect(steps).toEqual([]);
    const { annotations, managedFields } = (await world.idle('shop', 1)).metadata;
    expect(Object.keys(annotations ?? {})).toEqual([annotation]);
    expect(managedFields?.map(({ manager }) => manager)).toContain('instance');
    const { items } = await world.client.list(builtin.ConfigMap, { namespace: 'default' });
    expect(items).toHaveLength(4);
  });

  test('R3-06 R3-08 queue: a change during a plan waits for its end and is not lost', async () => {
    await deployed();
    const { reached, release } = hold('upgrade/backup/backup');
    await world.change('shop', { version: '2' });
    await reached;
    await world.change('shop', { version: '3' });
    release();
    await world.idle('shop', 3);
    expect(steps.map((step) => step.split('/').at(-1))).toEqual([
      'pull 2',
      'backup 2',
      'settings 2',
      'servers 2',
      'pull 3',
      'backup 3',
      'settings 3',
      'servers 3',
    ]);
    expect((await world.parts('shop'))['servers']).toEqual({ version: '3', replicas: '1' });
  });

  test('R3-06 R3-08 supersede: a change during a plan aborts its step and replaces it', async () => {
    await deployed('supersede');
    const { reached } = hold('upgrade/backup/backup');
    await world.change('shop', { version: '2' });
    await reached;
    world.hook = (step, { spec }) => void steps.push(`${step} ${spec.version}`);
    await world.change('shop', { version: '3' });
    await world.idle('shop', 3);
    expect(steps.map((step) => step.split('/').at(-1))).toEqual([
      'pull 2',
      'backup 2',
      'pull 3',
      'backup 3',
      'settings 3',
      'servers 3',
    ]);
  });

  test('R3-08 supersede: back to the former spec, the parts that the plan had changed are restored', async () => {
    await deployed('supersede');
    const { reached } = hold('upgrade/servers/servers');
    await world.change('shop', { version: '2' });
    await reached;
    expect((await world.parts('shop'))['settings']).toMatchObject({ version: '2' });
    world.hook = () => undefined;
    await world.change('shop', { version: '1' });
    await world.idle('shop', 3);
    expect((await world.parts('shop'))['settings']).toMatchObject({ version: '1' });
  });

  test('R3-08 supersede: a plan that was not complete is repeated if only another member changes', async () => {
    await deployed('supersede');
    const { reached } = hold('upgrade/backup/backup');
    await world.change('shop', { version: '2' });
    await reached;
    steps.length = 0;
    world.hook = (step, { spec }) => void steps.push(`${step} ${spec.version}`);
    await world.change('shop', { replicas: 7 });
    await world.idle('shop', 3);
    expect(steps[0]).toBe('upgrade/backup/pull 2');
    expect((await world.parts('shop'))['servers']).toEqual({ version: '2', replicas: '7' });
  });

  test('no plan starts for an Instance that is being deleted', async () => {
    await world.stop(await deployed());
    const name = { namespace: 'default', name: 'shop' };
    const body = { metadata: { finalizers: ['example.com/held'] }, spec: { version: '2' } };
    await world.client.patch(Instance, name, { type: 'merge', body });
    await world.client.delete(Instance, name);
    await reconciled(await world.start());
    expect(steps).toEqual([]);
  });

  test('R3-07 a transient error is in the status and retried; activePlan is null when idle', async () => {
    await deployed();
    world.registry.outage = new Error('the registry is down');
    await world.change('shop', { version: '2' });
    const busy = await world.reached(
      'shop',
      ({ status }) => status?.activePlan?.status === 'Error',
    );
    expect(busy.status?.activePlan).toMatchObject({
      plan: 'upgrade',
      generation: 2,
      phases: [
        { name: 'backup', status: 'Error', steps: [{ status: 'Error' }, { status: 'Pending' }] },
        { name: 'servers', status: 'Pending' },
      ],
    });
    expect(readyOf(busy)).toMatchObject({
      status: 'False',
      reason: 'Error',
      message: 'backup: pull: the registry is down; servers: Pending',
      observedGeneration: 2,
    });
    world.registry.outage = undefined;
    const idle = await world.idle('shop', 2);
    expect(idle.status?.activePlan).toBeNull();
    expect(idle).not.toHaveProperty('status.state');
  });

  test('R3-05 a fatal error is not retried, keeps the record, and ends with a change of the spec', async () => {
    const operator = await deployed();
    await world.change('shop', { version: '9' });
    const failed = await world.reached('shop', ({ status }) => {
      return status?.activePlan?.status === 'FatalError';
    });
    expect(readyOf(failed)).toMatchObject({
      status: 'False',
      reason: 'FatalError',
      message: 'backup: pull: no version 9; servers: Pending',
    });
    expect(failed.metadata.annotations?.[annotation]).toContain('"generation":1');
    await world.stop(operator);
    await reconciled(await world.start());
    expect(steps.filter((step) => step.endsWith(' 9'))).toEqual(['upgrade/backup/pull 9']);
    await world.change('shop', { version: '2' });
    await world.idle('shop', 3);
  });

  test.each([
    '{',
    '{"schemaVersion":7,"generation":1,"appliedAt":"2026-01-01T00:00:00Z","spec":{}}',
  ])('R3-12 R3-19 with the record %s the plan deploy runs in full', async (record) => {
    const operator = await world.start();
    await world.create('shop', { version: '1', replicas: 1 });
    await world.idle('shop', 1);
    await world.stop(operator);
    const body = { metadata: { annotations: { [annotation]: record } } };
    const name = { namespace: 'default', name: 'shop' };
    await world.client.patch(Instance, name, { type: 'merge', body });
    steps.length = 0;
    await world.change('shop', { replicas: 2 });
    await world.start();
    await world.idle('shop', 2);
    expect(steps.every((step) => step.startsWith('deploy/'))).toBe(true);
  });

  test('R3-05 R3-08 queue: a spec that is corrected during the retries of a plan runs after its fatal error', async () => {
    await world.start('queue');
    world.registry.outage = new Error('the registry is down');
    world.hook = (_, { instance, spec }) => {
      if (instance.spec.version !== spec.version) world.registry.outage = undefined;
    };
    await world.create('shop', { version: '9', replicas: 1 });
    await world.reached('shop', ({ status }) => status?.activePlan?.status === 'Error');
    await world.change('shop', { version: '1' });
    await world.idle('shop', 2);
    expect((await world.parts('shop'))['servers']).toEqual({ version: '1', replicas: '1' });
  });

  test('R3-16 no step runs for an object that is older than that of the server', async () => {
    const object = await world.create('shop', { version: '1', replicas: 1 });
    const body = { metadata: { labels: { a: 'b' } } };
    const name = { namespace: 'default', name: 'shop' };
    await world.client.patch(Instance, name, { type: 'merge', body });
    const { client, plans } = world;
    const difference = { added: [], changed: [], removed: [], isEmpty: false, touches: () => true };
    const { signal } = new AbortController();
    const run = { object, lastApplied: undefined, difference, signal };
    const tools = { client, plans, policy: 'queue' } as const;
    expect(await advancePlan(run, tools)).toEqual({ retry: true });
    expect(await world.parts('shop')).toEqual({});
  });

  test('R3-09 the parts of an Instance are owned by it, without any webhook', async () => {
    await deployed();
    const { metadata } = await world.client.get(builtin.ConfigMap, {
      namespace: 'default',
      name: 'shop-servers',
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Instance', name: 'shop' }]);
  });

  test('the tour prints every step', async () => {
    await world.start();
    const lines: string[] = [];
    world.registry.outage = undefined;
    await tour(world.client, world.registry, (line) => lines.push(line));
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toMatch(/no plan is active$/);
    const object: Persisted<Instance> = await world.idle('shop', 5);
    expect(object.spec).toEqual({ version: '2', replicas: 5 });
  });
});
