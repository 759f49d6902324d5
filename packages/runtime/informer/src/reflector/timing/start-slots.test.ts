import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { StartSlots, type FreeSlot } from './start-slots.ts';

const SLOTS = 32;
const { signal } = new AbortController();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Takes all slots. Each of them is free, so that none is a promise. */
function taken(slots: StartSlots): FreeSlot[] {
  const all = Array.from({ length: SLOTS }, () => slots.take(signal));
  return all.filter((free): free is FreeSlot => typeof free === 'function');
}

describe('StartSlots', () => {
  test('has 32 slots', () => {
    const slots = new StartSlots();
    expect(taken(slots)).toHaveLength(SLOTS);
    expect(slots.take(signal)).toBeInstanceOf(Promise);
  });

  test('a freed slot goes to the first wait, and freeing it again has no effect', async () => {
    const slots = new StartSlots();
    const [free] = taken(slots);
    const ended: string[] = [];
    const wait = async (name: string): Promise<void> => {
      await slots.take(signal);
      ended.push(name);
    };
    void wait('first');
    void wait('second');
    free?.();
    free?.();
    await jest.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['first']);
  });

  test('a slot that nothing waits for is free again', () => {
    const slots = new StartSlots();
    const [free] = taken(slots);
    free?.();
    expect(slots.take(signal)).toBeInstanceOf(Function);
    expect(slots.take(signal)).toBeInstanceOf(Promise);
  });

  test('a start that takes longer than a second frees its slot', async () => {
    const slots = new StartSlots();
    taken(slots);
    let isTaken = false;
    const wait = async (): Promise<void> => {
      await slots.take(signal);
      isTaken = true;
    };
    void wait();
    await jest.advanceTimersByTimeAsync(999);
    expect(isTaken).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(isTaken).toBe(true);
  });

  test('an abort ends the wait without a slot, and the next slot goes to another one', async () => {
    const slots = new StartSlots();
    const [free] = taken(slots);
    const stop = new AbortController();
    const aborted = slots.take(stop.signal);
    const other = slots.take(signal);
    stop.abort();
    expect(await aborted).toBeUndefined();
    expect(await slots.take(AbortSignal.abort())).toBeUndefined();
    free?.();
    expect(await other).toBeInstanceOf(Function);
  });

  test('freed slots leave no timer', () => {
    const slots = new StartSlots();
    for (const free of taken(slots)) free();
    expect(jest.getTimerCount()).toBe(0);
  });
});
