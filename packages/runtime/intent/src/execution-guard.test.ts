import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { gate, type Gate } from './testing/fixtures.test-support.ts';
import type { ExecutedObject } from './executed-object.ts';
import { ExecutionGuard, type Execution, type ExecutionPolicy } from './execution-guard.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

function objectOf(generation: number | undefined, uid = 'uid-1'): ExecutedObject {
  return { metadata: { uid, generation } };
}

/** A guard whose first execution runs until the gate opens. */
function busy(policy: ExecutionPolicy): {
  guard: ExecutionGuard;
  end: Gate;
  first: Promise<Execution<string>>;
  signal: () => AbortSignal | undefined;
} {
  const guard = new ExecutionGuard({ policy });
  const end = gate();
  let own: AbortSignal | undefined;
  const first = guard.run(objectOf(1), async ({ signal }) => {
    own = signal;
    await end.opened;
    return 'first';
  });
  return { guard, end, first, signal: () => own };
}

describe('ExecutionGuard', () => {
  test('R3-06 queue runs a second trigger after the first, and it knows that it waited', async () => {
    const { guard, end, first } = busy('queue');
    const order: string[] = [];
    const second = guard.run(objectOf(2), ({ hasWaited }) => {
      order.push(`second ${String(hasWaited)}`);
      return 'second';
    });
    expect(guard.isRunning(objectOf(1))).toBe(true);
    expect(order).toEqual([]);
    end.open();
    expect(await first).toEqual({ state: 'ended', value: 'first' });
    expect(await second).toEqual({ state: 'ended', value: 'second' });
    expect(order).toEqual(['second true']);
    expect(guard.isRunning(objectOf(1))).toBe(false);
  });

  test('R3-08 of many waiting triggers the latest generation runs, in any order', async () => {
    const { guard, end } = busy('queue');
    const ran: number[] = [];
    const triggers = [3, 5, 4].map((generation) =>
      guard.run(objectOf(generation), () => ran.push(generation)),
    );
    end.open();
    const states = (await Promise.all(triggers)).map(({ state }) => state);
    expect(ran).toEqual([5]);
    expect(states).toEqual(['superseded', 'ended', 'superseded']);
  });

  test('R3-06 reject starts nothing and leaves the running execution as it is', async () => {
    const { guard, end, first, signal } = busy('reject');
    const second = await guard.run(objectOf(2), () => 'never');
    expect(second).toEqual({ state: 'rejected' });
    expect(signal()?.aborted).toBe(false);
    end.open();
    expect(await first).toEqual({ state: 'ended', value: 'first' });
    expect(await guard.run(objectOf(2), () => 'now')).toEqual({ state: 'ended', value: 'now' });
  });

  test('R3-06 supersede aborts an earlier generation, waits for its end, then runs', async () => {
    const guard = new ExecutionGuard({ policy: 'supersede' });
    const order: string[] = [];
    const cleanedUp = gate();
    const first = guard.run(objectOf(1), async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await cleanedUp.opened;
      order.push('first ended');
      throw signal.reason;
    });
    const second = guard.run(objectOf(2), () => order.push('second began'));
    cleanedUp.open();
    expect(await first).toMatchObject({
      state: 'superseded',
      error: { code: 'EXECUTION_SUPERSEDED', facts: { uid: 'uid-1', generation: 2 } },
    });
    await second;
    expect(order).toEqual(['first ended', 'second began']);
  });

  test('an aborted execution that returns has ended: it did its work', async () => {
    const { guard, end, first, signal } = busy('supersede');
    expect(guard.supersede(objectOf(2))).toBe(true);
    expect(signal()?.aborted).toBe(true);
    end.open();
    expect(await first).toEqual({ state: 'ended', value: 'first' });
  });

  test('supersede does not abort the same or a later generation, nor under another policy', async () => {
    const { guard, end, signal } = busy('supersede');
    expect(guard.supersede(objectOf(1))).toBe(false);
    expect(guard.supersede(objectOf(0))).toBe(false);
    expect(guard.supersede(objectOf(9, 'uid-2'))).toBe(false);
    const again = guard.run(objectOf(1), () => 'again');
    expect(signal()?.aborted).toBe(false);
    expect(guard.supersede(objectOf(undefined))).toBe(true);
    end.open();
    expect(await again).toMatchObject({ state: 'ended' });
    const other = busy('queue');
    expect(other.guard.supersede(objectOf(2))).toBe(false);
    other.end.open();
  });

  test('objects of one name and different uids do not wait for each other', async () => {
    const { guard, end } = busy('queue');
    const other = await guard.run(objectOf(1, 'uid-2'), ({ hasWaited }) => hasWaited);
    expect(other).toEqual({ state: 'ended', value: false });
    end.open();
  });

  test('an error rejects its own trigger only, and the next one runs', async () => {
    const guard = new ExecutionGuard();
    const failing = guard.run(objectOf(1), () => {
      throw new Error('no');
    });
    const next = guard.run(objectOf(1), () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toEqual({ state: 'ended', value: 'next' });
  });

  test('a trigger whose signal aborts leaves its place, before, during and after the wait', async () => {
    const { guard, end } = busy('queue');
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(guard.run(objectOf(2), () => 1, { signal: aborted })).rejects.toThrow('stopped');
    const stop = new AbortController();
    const waiting = guard.run(objectOf(2), () => 1, { signal: stop.signal });
    stop.abort(new Error('stopped later'));
    await expect(waiting).rejects.toThrow('stopped later');
    const last = new AbortController();
    const granted = guard.run(objectOf(2), () => 1, { signal: last.signal });
    end.open();
    await end.opened;
    last.abort(new Error('stopped at last'));
    await expect(granted).rejects.toThrow('stopped at last');
    expect(guard.isRunning(objectOf(2))).toBe(false);
  });

  test('the signal of the caller aborts the execution', async () => {
    const stop = new AbortController();
    const guard = new ExecutionGuard();
    const run = guard.run(
      objectOf(1),
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { signal: stop.signal },
    );
    stop.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
  });

  test('an execution that starts one of its own object is refused instead of waiting for itself', async () => {
    const guard = new ExecutionGuard();
    const outer = guard.run(objectOf(1), () => guard.run(objectOf(1), () => 'inner'));
    await expect(outer).rejects.toMatchObject({ code: 'EXECUTION_NESTED' });
    const other = guard.run(objectOf(1), () => guard.run(objectOf(1, 'uid-2'), () => 'inner'));
    expect(await other).toEqual({ state: 'ended', value: { state: 'ended', value: 'inner' } });
  });

  test('R3-06 R3-08 an object never has two executions, and the latest generation is executed', async () => {
    const policies = fc.constantFrom<ExecutionPolicy>('queue', 'supersede');
    const steps = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(policies, steps, async (policy, turns) => {
        const guard = new ExecutionGuard({ policy });
        const ended: number[] = [];
        let active = 0;
        const triggers: Promise<unknown>[] = [];
        for (const [index, rest] of turns.entries()) {
          const trigger = guard.run(objectOf(index + 1), async ({ signal }) => {
            active += 1;
            expect(active).toBe(1);
            for (let turn = 0; turn < rest; turn += 1) await Promise.resolve();
            active -= 1;
            signal.throwIfAborted();
            ended.push(index + 1);
          });
          triggers.push(trigger);
          for (let turn = 0; turn < rest; turn += 1) await Promise.resolve();
        }
        await Promise.all(triggers);
        expect(ended.at(-1)).toBe(turns.length);
        expect(ended).toEqual(ended.toSorted((a, b) => a - b));
        expect(guard.isRunning(objectOf(1))).toBe(false);
      }),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });

  test.each<[string, (guard: ExecutionGuard) => unknown]>([
    ['ExecutionGuard.policy', () => new ExecutionGuard({ policy: 'wait' as never })],
    ['ExecutionGuard.mode', () => new ExecutionGuard({ mode: 1 } as never)],
    ['ExecutionGuard.run.object', (guard) => guard.run({} as never, () => 1)],
    ['ExecutionGuard.run.object', (guard) => guard.run(objectOf(1, ''), () => 1)],
    ['ExecutionGuard.run.execute', (guard) => guard.run(objectOf(1), 1 as never)],
    [
      'ExecutionGuard.run.signal',
      (guard) => guard.run(objectOf(1), () => 1, { signal: new AbortController() as never }),
    ],
    ['ExecutionGuard.supersede.object', (guard) => guard.supersede(undefined as never)],
    ['ExecutionGuard.isRunning.object', (guard) => guard.isRunning(undefined as never)],
  ])('throws INVALID_OPTION for %s', async (option, make) => {
    const act = async (): Promise<unknown> => make(new ExecutionGuard());
    await expect(act()).rejects.toMatchObject({ code: 'INVALID_OPTION', facts: { option } });
  });
});
