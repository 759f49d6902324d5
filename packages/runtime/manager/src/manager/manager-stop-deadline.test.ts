import { once } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import type { Client } from '@keelson/client';
import * as fc from 'fast-check';
import type { Controller } from '../controller/controller.ts';
import {
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  unusedClient,
  useFakeTime,
  WebApp,
  type ManagerPool,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from './manager.ts';
import { phases } from '../phases/phase.ts';

const managers = managersOfTest();

/** The duration and the reports of a stop, in time that the test advances. */
interface Stopped {
  readonly took: number;
  readonly error: unknown;
}

/** Stops the manager and advances time until it has stopped. */
async function stopTimed(manager: Manager, end: Promise<void>): Promise<Stopped> {
  const began = Date.now();
  const outcome: { took: number; error: unknown } = { took: Infinity, error: undefined };
  void manager.stop();
  void end
    .catch((error: unknown) => (outcome.error = error))
    .finally(() => (outcome.took = Date.now() - began));
  for (let step = 0; outcome.took === Infinity && step < 2000; step += 1) {
    await jest.advanceTimersByTimeAsync(50);
  }
  return outcome;
}

/** Starts the manager; `end` is the promise of `start`. */
async function started(manager: Manager): Promise<{ end: Promise<void> }> {
  const end = manager.start();
  end.catch(nothing);
  await jest.advanceTimersByTimeAsync(1);
  return { end };
}

/** A manager with the named components, which never end. */
async function managerWithStuck(
  pool: ManagerPool,
  gracePeriod: number,
  stuck: readonly string[],
): Promise<{ manager: Manager; end: Promise<void>; free: () => void }> {
  const { manager } = pool.make({ gracePeriod });
  const never = gate();
  for (const phase of phases) {
    const name = `runnable ${phase}`;
    const run = ({ signal }: { signal: AbortSignal }): Promise<unknown> =>
      stuck.includes(name) ? never.opened : once(signal, 'abort');
    manager.addRunnable({ name, phase, run: async (context) => void (await run(context)) });
  }
  const controller = manager.addController({
    name: 'controller',
    async reconcile(_request, { signal }) {
      await (stuck.includes('controller') ? never.opened : once(signal, 'abort'));
    },
  });
  const { end } = await started(manager);
  controller.enqueue({ name: 'a' });
  await jest.advanceTimersByTimeAsync(1);
  return { manager, end, free: never.open };
}

const parts = [...phases.map((phase) => `runnable ${phase}`), 'controller'];

describe('the time of a stop', () => {
  test('MG26 reconciles may finish in most of the grace period; then the signals abort, and running ones are reported', async () => {
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
    const controllers = [add('obeys'), add('stubborn')];
    const { end } = await started(manager);
    for (const controller of controllers) controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    const stopped = manager.stop();
    await jest.advanceTimersByTimeAsync(7199);
    expect(aborted).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect(aborted).toEqual(['obeys STOPPING', 'stubborn STOPPING']);
    await jest.advanceTimersByTimeAsync(10_000 - 7201);
    await stopped;
    await expect(end).rejects.toMatchObject({
      code: 'STOP_DEADLINE_EXCEEDED',
      facts: { stillRunning: ['stubborn'] },
    });
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a stop with a stuck runnable in each phase and a stuck reconcile ends within the grace period', async () => {
    useFakeTime();
    const { manager, end, free } = await managerWithStuck(managers, 1000, parts);
    const { took, error } = await stopTimed(manager, end);
    expect(took).toBeLessThanOrEqual(1000);
    const { facts } = error as { facts: { stillRunning: string[] } };
    expect(facts.stillRunning.toSorted()).toEqual(parts.toSorted());
    free();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a stop with any stuck components ends within the grace period and names exactly those', async () => {
    useFakeTime();
    const grace = fc.integer({ min: 500, max: 60_000 });
    await fc.assert(
      fc.asyncProperty(grace, fc.subarray(parts), async (gracePeriod, stuck) => {
        const { manager, end, free } = await managerWithStuck(managers, gracePeriod, stuck);
        const { took, error } = await stopTimed(manager, end);
        expect(took).toBeLessThanOrEqual(gracePeriod + 50);
        const names = (error as { facts?: { stillRunning: string[] } } | undefined)?.facts;
        expect((names?.stillRunning ?? []).toSorted()).toEqual(stuck.toSorted());
        free();
        await jest.advanceTimersByTimeAsync(1);
      }),
      { numRuns: 30 },
    );
  });

  test('each phase that misses its deadline is logged at that time with its running components', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger, gracePeriod: '10s' });
    const never = gate();
    manager.addRunnable({ name: 'first', phase: 'leader', run: () => never.opened });
    manager.addRunnable({ name: 'second', phase: 'always', run: () => never.opened });
    const { end } = await started(manager);
    const stopped = manager.stop();
    const late = (): unknown[] =>
      lines.filter(({ message }) => message === 'phase did not end in time');
    await jest.advanceTimersByTimeAsync(7999);
    expect(late()).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect(late()).toMatchObject([{ level: 'warn', phase: 'leader', stillRunning: ['first'] }]);
    await jest.advanceTimersByTimeAsync(2000);
    await stopped;
    expect(late()).toMatchObject([
      { phase: 'leader' },
      { phase: 'always', stillRunning: ['second'] },
    ]);
    await expect(end).rejects.toMatchObject({ code: 'STOP_DEADLINE_EXCEEDED' });
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a client that neither responds nor observes its signal does not delay the stop, and is reported', async () => {
    useFakeTime();
    const hanging: Client = Object.assign(Object.create(unusedClient()) as Client, {
      create: () => new Promise<never>(nothing),
      withWriteObserver: () => hanging,
    });
    const { manager } = managers.make({ gracePeriod: 4000, client: hanging });
    const { end } = await started(manager);
    const facts = { reason: 'Started', action: 'Start' };
    manager.eventRecorder('test').record(objectOf(WebApp, 'a'), facts);
    await jest.advanceTimersByTimeAsync(1);
    const { took, error } = await stopTimed(manager, end);
    expect(took).toBeLessThanOrEqual(4000);
    expect(error).toMatchObject({
      code: 'STOP_DEADLINE_EXCEEDED',
      facts: { stillRunning: ['end of caches'] },
    });
  });

  test('the next phases may use the time that a phase leaves', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: '10s' });
    const ends = gate();
    manager.addRunnable({ name: 'slow', phase: 'always', run: () => ends.opened });
    const { end } = await started(manager);
    void manager.stop();
    // Half of the 10 s, because the phase `leader` used no time.
    await jest.advanceTimersByTimeAsync(4900);
    ends.open();
    await jest.advanceTimersByTimeAsync(1);
    await expect(end).resolves.toBeUndefined();
  });

  test('controller.stop ends within the grace period, and a stop of the manager shortens that time', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: '10s' });
    const never = gate();
    const aborted: string[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        async reconcile(_request, { signal }) {
          signal.addEventListener('abort', () => void aborted.push(name));
          await never.opened;
        },
      });
    const alone = add('alone');
    const both = add('both');
    await started(manager);
    for (const controller of [alone, both]) controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    let ended = false;
    void alone.stop().then(() => (ended = true));
    await jest.advanceTimersByTimeAsync(8999);
    expect([aborted, ended]).toEqual([[], false]);
    await jest.advanceTimersByTimeAsync(1001);
    expect([aborted, ended]).toEqual([['alone'], true]);
    void both.stop();
    const stopped = manager.stop();
    await jest.advanceTimersByTimeAsync(7201);
    expect(aborted).toEqual(['alone', 'both']);
    await jest.advanceTimersByTimeAsync(2800);
    await stopped;
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });
});

describe('the errors of a stop', () => {
  test('MG10 a failing runnable and a missed deadline are both reported', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: 1000 });
    const [never, failure] = [gate(), new Error('the runnable broke')];
    manager.addRunnable({ name: 'stubborn', run: () => never.opened });
    manager.addRunnable({ name: 'breaks', run: () => Promise.reject(failure) });
    const { end } = await started(manager);
    await jest.advanceTimersByTimeAsync(1000);
    const error: unknown = await end.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error).toMatchObject({
      code: 'SEVERAL_ERRORS',
      errors: [failure, { code: 'STOP_DEADLINE_EXCEEDED', facts: { stillRunning: ['stubborn'] } }],
    });
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('MG10 the errors of all runnables are reported, also those from the stop', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    const errors = ['first', 'second', 'third'].map((name) => new Error(name));
    const [first, second, third] = errors;
    manager.addRunnable({ name: 'a', run: () => Promise.reject(first) });
    manager.addRunnable({ name: 'b', run: () => Promise.reject(second) });
    manager.addRunnable({
      name: 'c',
      phase: 'always',
      async run({ signal }) {
        await once(signal, 'abort');
        throw third;
      },
    });
    const error: unknown = await manager.start().catch((reason: unknown) => reason);
    expect((error as AggregateError).errors).toEqual(errors);
  });

  test('MG10 the errors of all controllers that cannot start are reported', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    for (const name of ['a', 'b']) {
      const requests = (): never => {
        throw new Error(`no queue for ${name}`);
      };
      manager.addController({ name, sources: [{ name, requests }], reconcile: nothing });
    }
    await expect(manager.start()).rejects.toMatchObject({
      code: 'SEVERAL_ERRORS',
      errors: [
        { code: 'SOURCE_FAILED', facts: { source: 'a' } },
        { code: 'SOURCE_FAILED', facts: { source: 'b' } },
      ],
    });
  });

  test('MG10 start rejects with a single error itself, also with one from the stop', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    const failure = new Error('the runnable broke');
    manager.addRunnable({
      name: 'breaks',
      async run({ signal }) {
        await once(signal, 'abort');
        throw failure;
      },
    });
    const end = manager.start();
    end.catch(nothing);
    await manager.started;
    await manager.stop();
    await expect(end).rejects.toBe(failure);
  });
});
