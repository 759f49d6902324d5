import { describe, expect, jest, test } from '@jest/globals';
import type { Controller } from '../controller/controller.ts';
import {
  gate,
  managersOfTest,
  nothing,
  useFakeTime,
  type Gate,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from './manager.ts';

const managers = managersOfTest();
const GRACE_MS = 1000;

/** A manager whose controller was stopped while its reconcile ignored the abort. */
interface Outlived {
  readonly manager: Manager;
  readonly end: Promise<void>;
  /** Ends the old run. */
  readonly old: Gate;
  /** The runs that have begun, by request. */
  readonly begun: string[];
  readonly add: () => Controller;
}

async function outlived(): Promise<Outlived> {
  useFakeTime();
  const { manager } = managers.make({ gracePeriod: GRACE_MS });
  const old = gate();
  const begun: string[] = [];
  const add = (): Controller =>
    manager.addController({
      name: 'x',
      concurrency: 1,
      async reconcile({ name }) {
        begun.push(name);
        if (begun.length === 1) await old.opened;
      },
    });
  const first = add();
  const end = manager.start();
  end.catch(nothing);
  await jest.advanceTimersByTimeAsync(1);
  first.enqueue({ name: 'a' });
  await jest.advanceTimersByTimeAsync(1);
  const stopped = first.stop();
  await jest.advanceTimersByTimeAsync(GRACE_MS);
  await stopped;
  return { manager, end, old, begun, add };
}

describe('a reconcile that outlives the stop of its controller', () => {
  test('is awaited by the stop of the manager', async () => {
    const { manager, end, old } = await outlived();
    const stops: string[] = [];
    void manager.stop().then(() => stops.push('stopped'));
    await jest.advanceTimersByTimeAsync(GRACE_MS / 4);
    expect(stops).toEqual([]);
    old.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(stops).toEqual(['stopped']);
    await end;
  });

  test('is reported if it outlives the stop of the manager too', async () => {
    const { manager, end, old } = await outlived();
    void manager.stop();
    await jest.advanceTimersByTimeAsync(GRACE_MS);
    await expect(end).rejects.toMatchObject({
      code: 'STOP_DEADLINE_EXCEEDED',
      facts: { stillRunning: ['x'] },
    });
    old.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('locks its request for a new controller of the name, which runs other requests', async () => {
    const { old, begun, add } = await outlived();
    const second = add();
    second.enqueue({ name: 'a' });
    second.enqueue({ name: 'b' });
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b']);
    old.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  test('does not lead to a run of a controller that was stopped while its request waited', async () => {
    const { old, begun, add } = await outlived();
    const second = add();
    second.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    await second.stop();
    old.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a']);
    const third = add();
    third.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'a']);
  });

  test('is not awaited by the stop of the manager after it has ended', async () => {
    const { manager, end, old } = await outlived();
    old.open();
    await jest.advanceTimersByTimeAsync(1);
    const began = Date.now();
    void manager.stop();
    await jest.advanceTimersByTimeAsync(1);
    await end;
    expect(Date.now() - began).toBeLessThan(GRACE_MS / 4);
  });
});
