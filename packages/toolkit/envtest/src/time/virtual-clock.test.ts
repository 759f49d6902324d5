import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '@keelson/apimachinery';
import { describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { VirtualClock } from './virtual-clock.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
const limits = { start: 1_000, seed: 1, maxSteps: 1_000 };

function clockOf(stallTimeout = 60_000): VirtualClock {
  return new VirtualClock({ ...limits, stallTimeout });
}

describe('VirtualClock', () => {
  test('fires timers in the order of their times, then of their starts, each at its time', async () => {
    const clock = clockOf();
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} at ${clock.monotonic()}`);
    clock.startTimer(20, note('late'));
    clock.startTimer(10, note('first'));
    clock.startTimer(10, note('second'));
    clock.startTimer(0, note('now'));
    await clock.settled();
    expect(fired).toEqual(['now at 0']);
    await clock.advance(19);
    expect(fired.slice(1)).toEqual(['first at 10', 'second at 10']);
    await clock.advance('1ms');
    expect(fired.slice(3)).toEqual(['late at 20']);
    expect([clock.monotonic(), clock.now()]).toEqual([20, 1_020]);
  });

  test('ends all work that follows from a timer, also real I/O, before it fires the next one', async () => {
    const clock = clockOf();
    const order: string[] = [];
    clock.startTimer(1, () => {
      void clock.activity.run('a read', async () => {
        await readFile(fileURLToPath(import.meta.url));
        order.push(`read at ${clock.monotonic()}`);
        clock.startTimer(0, () => order.push(`then at ${clock.monotonic()}`));
      });
    });
    clock.startTimer(2, () => order.push(`next at ${clock.monotonic()}`));
    await clock.advance(10);
    expect(order).toEqual(['read at 1', 'then at 1', 'next at 2']);
  });

  test('lets time pass while all work waits for it', async () => {
    const clock = clockOf();
    const ended: number[] = [];
    const inner = (): Promise<void> =>
      clock.activity.run('inner', async () => {
        await pause(100, [], clock);
        ended.push(clock.monotonic());
      });
    void clock.activity.run('outer', async () => {
      await inner();
      await pause(100, [], clock);
      ended.push(clock.monotonic());
    });
    await clock.settled();
    expect(ended).toEqual([]);
    await clock.advance(150);
    expect(ended).toEqual([100]);
    await clock.advance(50);
    expect(ended).toEqual([100, 200]);
  });

  test('counts the work of a server as a part of that of its client', async () => {
    const clock = clockOf();
    let id = '';
    const response = Promise.withResolvers<void>();
    void clock.activity.run('the client', async (own) => {
      id = own;
      await response.promise;
    });
    void clock.activity.run(
      'the server',
      async () => {
        await pause(100, [], clock);
        response.resolve();
      },
      id,
    );
    await clock.settled();
    await clock.advance(100);
    await response.promise;
    await clock.settled();
  });

  test('rejects and names the work that does not end', async () => {
    const clock = clockOf(50);
    const end = clock.activity.begin('a reconcile');
    await expect(clock.settled()).rejects.toMatchObject({
      code: 'TIME_NOT_SETTLED',
      facts: { reason: 'work does not end', waitsFor: ['a reconcile'], stallTimeout: 50 },
    });
    end();
    end();
    await clock.settled();
  });

  test('names ten pieces of work at most', async () => {
    const clock = clockOf(50);
    for (let n = 0; n < 12; n++) clock.activity.begin(`work ${n}`);
    await expect(clock.settled()).rejects.toMatchObject({
      facts: { waitsFor: { length: 10 }, more: 2 },
    });
  });

  test('waits for work in real time as long as other work begins and ends', async () => {
    const clock = clockOf(2_000);
    const end = clock.activity.begin('long');
    let left = 5;
    const timer = setInterval(() => {
      clock.activity.begin('short')();
      left -= 1;
      if (left === 0) end();
    }, 500);
    try {
      await clock.settled();
      expect(left).toBeLessThanOrEqual(0);
    } finally {
      clearInterval(timer);
    }
  });

  test.each([
    ['timers without a delay', (clock: VirtualClock) => endless(clock)],
    ['work that always leads to work', (clock: VirtualClock) => void endlessWork(clock)],
  ])('ends %s with an error', async (_name, begin) => {
    const clock = clockOf();
    const stop = new AbortController();
    clock.startTimer(5, () => begin(clock));
    clock.startTimer(6, () => stop.abort());
    await expect(clock.advance(10)).rejects.toMatchObject({
      code: 'TIME_NOT_SETTLED',
      facts: { reason: 'too many steps at one time', maxSteps: 1_000 },
    });
    expect(clock.monotonic()).toBe(5);
    expect(stop.signal.aborted).toBe(false);
  });

  test('counts the bytes that a client waits for, and not those that it leaves unread', async () => {
    const clock = clockOf(50);
    const sent = clock.activity.stream('1');
    const read = clock.activity.stream('1');
    sent.sent(10);
    await clock.settled();
    read.received(0);
    await expect(clock.settled()).rejects.toMatchObject({
      facts: { waitsFor: ['the events of a watch'] },
    });
    read.paused();
    await clock.settled();
    read.received(10);
    await clock.settled();
    sent.sent(1);
    read.ended();
    await clock.settled();
  });

  test('counts the end of a body until its client has noticed it', async () => {
    const clock = clockOf(50);
    const sent = clock.activity.stream('1');
    const read = clock.activity.stream('1');
    read.received(0);
    sent.closed();
    await expect(clock.settled()).rejects.toMatchObject({ code: 'TIME_NOT_SETTLED' });
    read.ended();
    await clock.settled();
    sent.closed();
    await clock.settled();
  });

  test.each(['soon', -1, Number.NaN, Infinity, null, '1d'])(
    'refuses the duration %p',
    async (duration) => {
      await expect(clockOf().advance(duration as number)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: 'advance' },
      });
    },
  );

  test('refuses a second call while time passes', async () => {
    const clock = clockOf();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toMatchObject({ code: 'TIME_ADVANCING' });
    await expect(clock.settled()).rejects.toMatchObject({ code: 'TIME_ADVANCING' });
    await first;
    await clock.advance(10);
    expect(clock.monotonic()).toBe(20);
  });

  test('continues after an error of a timer, which rejects the call', async () => {
    const clock = clockOf();
    const fired: number[] = [];
    clock.startTimer(1, () => {
      throw new Error('broken');
    });
    clock.startTimer(2, () => void fired.push(2));
    await expect(clock.advance(5)).rejects.toThrow('broken');
    await clock.advance(5);
    expect(fired).toEqual([2]);
  });

  test('runs timers in the async context of the code that started them', async () => {
    const clock = clockOf();
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    storage.run('starter', () => clock.startTimer(1, () => void seen.push(storage.getStore())));
    await storage.run('caller', () => clock.advance(1));
    expect(seen).toEqual(['starter']);
  });

  test('replaces no function of the process, and works while a test replaces them', async () => {
    const { setTimeout: before, setImmediate: immediate } = globalThis;
    const clock = clockOf();
    clock.startTimer(1, () => undefined);
    await clock.advance(1);
    expect(globalThis.setTimeout).toBe(before);
    expect(globalThis.setImmediate).toBe(immediate);
    jest.useFakeTimers();
    try {
      const fired = jest.fn();
      systemClock.startTimer(1_000, fired);
      await clock.advance('1h');
      expect(fired).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1_000);
      expect(fired).toHaveBeenCalledTimes(1);
    } finally {
      jest.useRealTimers();
    }
  });

  test('equals a model for random timers, cancellations and advances', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const model = new Model();
        const clock = clockOf();
        const fired: string[] = [];
        const stops: (() => void)[] = [];
        for (const [at, { does, n, nested }] of steps.entries()) {
          if (does === 'start') {
            model.start(n, at, nested);
            const note = (name: string) => void fired.push(`${name} ${clock.monotonic()}`);
            stops.push(
              clock.startTimer(n, () => {
                note(`t${at}`);
                if (nested !== undefined) clock.startTimer(nested, () => note(`n${at}`));
              }),
            );
          } else if (does === 'stop') {
            const index = stops.length === 0 ? 0 : n % stops.length;
            stops[index]?.();
            model.stop(index);
          } else {
            await clock.advance(n);
            model.advance(n);
          }
        }
        expect(fired).toEqual(model.fired);
        expect(clock.monotonic()).toBe(model.now);
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });
});

function endless(clock: VirtualClock): void {
  clock.startTimer(0, () => endless(clock));
}

async function endlessWork(clock: VirtualClock): Promise<void> {
  for (let n = 0; n < 2_000; n++) {
    const end = clock.activity.begin('a write');
    await Promise.resolve();
    end();
  }
}

const anyStep = fc.record({
  does: fc.constantFrom('start', 'start', 'stop', 'advance'),
  n: fc.nat(50),
  nested: fc.option(fc.nat(50), { nil: undefined }),
});

interface ModelTimer {
  readonly at: number;
  readonly order: number;
  readonly name: string;
  readonly nested: number | undefined;
}

/** The timers as a list that is searched for the earliest one. */
class Model {
  now = 0;
  readonly fired: string[] = [];
  readonly #timers = new Set<ModelTimer>();
  readonly #started: ModelTimer[] = [];
  #order = 0;

  start(delay: number, step: number, nested: number | undefined): void {
    this.#started.push(this.#add({ at: this.now + delay, name: `t${step}`, nested }));
  }

  stop(index: number): void {
    const timer = this.#started[index];
    if (timer !== undefined) this.#timers.delete(timer);
  }

  advance(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.now = next.at;
      this.fired.push(`${next.name} ${this.now}`);
      if (next.nested === undefined) continue;
      const name = next.name.replace('t', 'n');
      this.#add({ at: this.now + next.nested, name, nested: undefined });
    }
    this.now = end;
  }

  #add(timer: Omit<ModelTimer, 'order'>): ModelTimer {
    const added = { ...timer, order: this.#order++ };
    this.#timers.add(added);
    return added;
  }

  #next(end: number): ModelTimer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}
