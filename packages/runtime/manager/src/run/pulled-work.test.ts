import { describe, expect, test } from '@jest/globals';
import {
  eventually,
  managersOfTest,
  recordingLogger,
  running,
  silent,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { PulledController } from '../controller/controller.ts';
import { PulledLoops, type PulledWork } from './pulled-work.ts';
import { released } from './run-outcome.ts';

const managers = managersOfTest();
const labels = { controller: 'pulled' };

/** A running manager with a pulled controller, and a loop that `take` advances. */
async function pulled(options: { timeout?: number; base?: number; logger?: typeof silent } = {}) {
  const { timeout = 0, base = 0, logger = silent } = options;
  const { manager } = managers.make({ logger });
  const controller = manager.addPulledController({
    name: 'pulled',
    backoff: { base, max: base },
    timeout,
  });
  await running(manager);
  const loop = controller.work();
  const take = async (): Promise<PulledWork> => {
    const { value } = await loop.next();
    if (value === undefined) throw new Error('the loop has ended');
    return value;
  };
  const results = (result: string): Promise<number | undefined> =>
    valueOf(manager, 'controller_runtime_reconcile_total', { ...labels, result });
  return { manager, controller, loop, take, results };
}

/** Takes names in a loop until the controller stops. */
async function names(controller: PulledController, into: string[]): Promise<void> {
  for await (const { request } of controller.work()) into.push(request.name);
}

describe('the pull form of a controller', () => {
  test('CT44 a loop receives requests with the context of a reconcile, and its next turn is a success', async () => {
    const { controller, take, results, loop } = await pulled();
    controller.enqueue({ namespace: 'default', name: 'a' }, { priority: 3 });
    controller.enqueue({ name: 'b' });
    const work = await take();
    expect(work.request).toEqual({ namespace: 'default', name: 'a' });
    expect(work.context).toMatchObject({ attempt: 1, priority: 3, causes: [{ reason: 'manual' }] });
    expect([controller.running, controller.length]).toEqual([1, 1]);
    expect((await take()).request.name).toBe('b');
    await loop.return();
    await eventually(() => controller.running === 0);
    expect(await results('success')).toBe(1);
  });

  test('CT44 a break in the middle frees the key and queues it once, and counts no failure', async () => {
    const { controller, results } = await pulled();
    const taken: string[] = [];
    controller.enqueue({ name: 'a' });
    for await (const { request } of controller.work()) {
      taken.push(request.name);
      // Added again while it is held: still one entry.
      controller.enqueue({ name: 'a' });
      break;
    }
    await eventually(() => controller.running === 0);
    expect([taken, controller.length]).toEqual([['a'], 1]);
    for await (const work of controller.work()) {
      expect(work.context.attempt).toBe(1);
      work.done();
      break;
    }
    await eventually(() => controller.running === 0);
    expect(controller.length).toBe(0);
    expect(await results('error')).toBe(0);
  });

  test('CT44 an error in the body of a loop leaves the loop and queues the request again', async () => {
    const { controller } = await pulled();
    controller.enqueue({ name: 'a' });
    const fail = async (): Promise<void> => {
      for await (const work of controller.work()) throw new Error(`no ${work.request.name}`);
    };
    await expect(fail()).rejects.toThrow('no a');
    await eventually(() => controller.running === 0);
    expect(controller.length).toBe(1);
  });

  test('CT44 two loops never hold one key, and each takes one request at a time', async () => {
    const { controller, manager } = await pulled();
    const [one, other] = [controller.work(), controller.work()];
    controller.enqueue({ name: 'a' });
    const { value: first } = await one.next();
    controller.enqueue({ name: 'a' });
    const waiting = other.next();
    controller.enqueue({ name: 'b' });
    expect((await waiting).value?.request.name).toBe('b');
    expect(await valueOf(manager, 'controller_runtime_max_concurrent_reconciles', labels)).toBe(2);
    first?.done();
    const { value: again } = await one.next();
    expect(again?.request.name).toBe('a');
    await Promise.all([one.return(), other.return()]);
  });

  test('CT44 fail retries with backoff and counts an error', async () => {
    const { logger, lines } = recordingLogger();
    const { controller, take, results } = await pulled({ logger });
    controller.enqueue({ name: 'a' });
    const work = await take();
    work.fail(new Error('busy'));
    const retry = await take();
    expect([retry.request.name, retry.context.attempt]).toEqual(['a', 2]);
    expect(await results('error')).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'reconcile failed', name: 'a' }),
    );
    retry.done();
  });

  test('done takes the outcome of a reconcile', async () => {
    const { controller, take, results } = await pulled();
    controller.enqueue({ name: 'a' });
    (await take()).done({ requeueAfter: 1 });
    const again = await take();
    expect(again.context.causes).toMatchObject([{ reason: 'requeue' }]);
    again.done({ retry: true });
    expect((await take()).context.attempt).toBe(2);
    expect(await results('requeue_after')).toBe(1);
    expect(await results('requeue')).toBe(1);
  });

  test('an invalid outcome is logged and counts as a success', async () => {
    const { logger, lines } = recordingLogger();
    const { controller, take, results } = await pulled({ logger });
    controller.enqueue({ name: 'a' });
    (await take()).done({ requeueAfter: -1 });
    await eventually(() => controller.running === 0);
    expect(await results('success')).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'invalid result of reconcile' }),
    );
  });

  test('a work can be ended once', async () => {
    const { controller, take } = await pulled();
    controller.enqueue({ name: 'a' });
    const work = await take();
    work.done();
    const ended = expect.objectContaining({ code: 'WORK_ENDED' });
    expect(() => work.done()).toThrow(ended);
    expect(() => work.fail(new Error('late'))).toThrow(ended);
  });

  test('the timeout aborts the signal and keeps the request locked', async () => {
    const { controller, take } = await pulled({ timeout: 1 });
    controller.enqueue({ name: 'a' });
    const { context } = await take();
    await eventually(() => context.signal.aborted);
    expect(context.signal.reason).toMatchObject({ code: 'RECONCILE_TIMEOUT' });
    expect(controller.running).toBe(1);
  });

  test('a loop that was opened before the start waits for it, and the stop ends it', async () => {
    const { manager } = managers.make();
    const controller = manager.addPulledController({ name: 'early' });
    const taken: string[] = [];
    const ended = names(controller, taken);
    controller.enqueue({ name: 'a' });
    await Promise.resolve();
    expect(taken).toEqual([]);
    await running(manager);
    await eventually(() => taken.length === 1);
    await manager.stop();
    await ended;
    await names(controller, taken);
    expect(taken).toEqual(['a']);
  });

  test('the stop waits for the request of a loop within the grace period, then aborts its signal', async () => {
    const { manager } = managers.make({ gracePeriod: 60_000 });
    const controller = manager.addPulledController({ name: 'slow' });
    await running(manager);
    controller.enqueue({ name: 'a' });
    const loop = controller.work();
    const { value: work } = await loop.next();
    let stopped = false;
    const stop = controller.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([stopped, work?.context.signal.aborted]).toEqual([false, false]);
    expect(await loop.next()).toEqual({ done: true, value: undefined });
    await stop;
  });

  test('a signal ends a waiting loop, and a loop at its next turn', async () => {
    const { controller } = await pulled();
    const abort = new AbortController();
    const busy = controller.work({ signal: abort.signal });
    controller.enqueue({ name: 'a' });
    await busy.next();
    const waiting = controller.work({ signal: abort.signal }).next();
    abort.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await busy.next()).toEqual({ done: true, value: undefined });
    controller.enqueue({ name: 'b' });
    await Promise.resolve();
    expect(controller.length).toBe(1);
  });

  test.each(['return', 'throw', 'dispose'] as const)(
    '%s ends a loop that waits, and the next loop receives the request',
    async (how) => {
      const { controller, loop, take } = await pulled();
      const waiting = loop.next();
      const error = new Error('enough');
      if (how === 'return') await loop.return();
      else if (how === 'dispose') await loop[Symbol.asyncDispose]();
      else await expect(loop.throw(error)).rejects.toBe(error);
      expect(await waiting).toEqual({ done: true, value: undefined });
      await expect(take()).rejects.toThrow('the loop has ended');
      controller.enqueue({ name: 'a' });
      const other = controller.work();
      const { value } = await other.next();
      expect(value?.request.name).toBe('a');
      await other.return();
    },
  );

  test('a controller with a reconcile has no loops, and a pulled one no reconcile', () => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'usual', reconcile() {} });
    const wrong = controller as unknown as PulledController;
    expect(() => wrong.work()).toThrow(expect.objectContaining({ code: 'NOT_PULLED' }));
    const options = { name: 'both', reconcile() {} };
    // @ts-expect-error a pulled controller has no reconcile
    expect(() => manager.addPulledController(options)).toThrow('use `addController`');
    // @ts-expect-error the loops decide about the concurrency
    expect(() => manager.addPulledController({ name: 'x', concurrency: 2 })).toThrow('more loops');
    // @ts-expect-error a controller needs a reconcile
    expect(() => manager.addController({ name: 'none' })).toThrow('reconcile');
    const loops = manager.addPulledController({ name: 'loops' });
    expect(() => loops.work({ sginal: 1 } as object)).toThrow('work.sginal');
  });

  test('a loop that is left after the stop began reports no failure', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger, gracePeriod: 60_000 });
    const controller = manager.addPulledController({ name: 'pulled' });
    await running(manager);
    controller.enqueue({ name: 'a' });
    const loop = controller.work();
    await loop.next();
    const stopped = controller.stop();
    await loop.return();
    await stopped;
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a request whose loop has ended goes to the next loop, or back at the stop', async () => {
    const loops = new PulledLoops<{ readonly name: string }>(() => undefined);
    const context = {} as PulledWork['context'];
    const first = loops.reconcile({ name: 'a' }, context);
    const { value } = await loops.loop().next();
    expect(value?.request).toEqual({ name: 'a' });
    value?.done({ retry: true });
    expect(await first).toEqual({ retry: true });
    const second = loops.reconcile({ name: 'b' }, context);
    loops.close();
    expect(await second).toBe(released);
  });
});
