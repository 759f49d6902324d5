import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Manager } from '@keelson/manager';
import { CrashProxy, type CrashPoint } from './crash-proxy.test-support.ts';
import { Instance } from './custom-resource.ts';
import type { PlanPolicy } from './decision.ts';
import type { Plans } from './plan.ts';
import { PlanWorld } from './plan-world.test-support.ts';

/** One run: the writes of the operator that crashed, the steps, and the final state. */
interface Run {
  readonly writes: readonly string[];
  /** Each step with the version of its spec, once for each execution. */
  readonly steps: readonly string[];
  readonly state: unknown;
}

let world: PlanWorld;
let runs = 0;

beforeAll(async () => {
  world = await PlanWorld.open();
  world.plans = short(world.plans);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** Fewer steps: they still have serial and parallel phases, and the test runs once for each write. */
function short(plans: Plans): Plans {
  const kept = new Set(['credentials', 'storage', 'backup', 'servers']);
  const entries = Object.entries(plans).map(([name, plan]) => {
    const phases = plan.phases.map((phase) => {
      return { ...phase, steps: phase.steps.filter((step) => kept.has(step.name)) };
    });
    return [name, { ...plan, phases }] as const;
  });
  return Object.fromEntries(entries) as unknown as Plans;
}

/** Starts another operator after the crash of the first one. Never settles without a crash. */
async function restart(first: Manager, proxy: CrashProxy, policy: PlanPolicy): Promise<Manager> {
  await proxy.crashed;
  await world.stop(first);
  return world.start(policy);
}

/** Deploys, upgrades, and changes the spec again in the middle of the upgrade. The operator may crash once. */
async function run(policy: PlanPolicy, point?: CrashPoint): Promise<Run> {
  runs += 1;
  const name = `run${runs}`;
  await using proxy = await CrashProxy.open(world.server.url, point);
  const steps: string[] = [];
  let isChanged = false;
  world.hook = async (step, { spec, instance }) => {
    if (instance.metadata.name !== name) return;
    steps.push(`${step} ${spec.version}`);
    if (step !== 'upgrade/backup/backup' || isChanged) return;
    isChanged = true;
    await world.change(name, { version: '3' });
  };
  const first = await world.start(policy, proxy.url);
  const restarted = restart(first, proxy, policy);
  await world.create(name, { version: '1', replicas: 1 });
  await world.idle(name, 1);
  await world.change(name, { version: '2', replicas: 2 });
  const { status, metadata } = await world.idle(name, 3);
  await world.stop(proxy.isDead ? await restarted : first);
  const record = JSON.parse(
    metadata.annotations?.['examples.keelson.dev/last-applied'] ?? '{}',
  ) as Record<string, unknown>;
  const conditions = status?.conditions?.map((each) => ({ ...each, lastTransitionTime: '' }));
  const stored = { ...record, appliedAt: '', uid: '' };
  const state = { status: { ...status, conditions }, stored, parts: await world.parts(name) };
  await world.client.delete(Instance, { namespace: 'default', name });
  return { writes: proxy.writes, steps, state };
}

/** One in so many places of a crash is tried; all of them with `KEELSON_RUNS=1`. */
const EVERY = Math.ceil(1 / Math.max(0.25, Number(process.env['KEELSON_RUNS'] ?? 1)));

describe.each<PlanPolicy>(['queue', 'supersede'])('with the policy %s', (policy) => {
  test('R3-05 R3-17 a crash before or after any write leads to the same state, and no step is lost', async () => {
    const reference = await run(policy);
    expect(reference.writes.length).toBeGreaterThan(15);
    const points = reference.writes.flatMap((_, at): CrashPoint[] => [
      { at, when: 'before' },
      // To the server it is the same as before the next write, so one policy suffices.
      ...(policy === 'queue' ? [{ at, when: 'after' } as const] : []),
    ]);
    for (const point of points.filter((_, at) => at % EVERY === 0)) {
      const crashed = await run(policy, point);
      const place = `${point.when} write ${point.at}, ${crashed.writes.at(-1)}`;
      expect([place, crashed.state]).toEqual([place, reference.state]);
      if (policy === 'supersede') continue; // a step may be aborted or not
      expect(crashed.writes.length).toBeGreaterThan(point.at);
      // Each step of each version runs at least once, in the same order, and at most once more.
      expect([place, [...new Set(crashed.steps)].toSorted()]).toEqual([
        place,
        reference.steps.toSorted(),
      ]);
      for (const step of reference.steps) {
        const count = crashed.steps.filter((each) => each === step).length;
        expect([place, step, count <= 2]).toEqual([place, step, true]);
      }
    }
  });
});
