import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  delaySeconds,
  EventLoopDelayMonitor,
  type SampledLoop,
  type SampleTimer,
} from './event-loop-delay.ts';

/** An event loop in virtual time. */
class VirtualLoop implements SampledLoop {
  /** The share of the time in which the process has work. */
  load = 0;
  /** The number of timers that have fired. */
  fired = 0;
  #time = 0;
  #cpu = 0;
  #timer: { readonly at: number; readonly fire: () => void } | undefined;

  now(): number {
    return this.#time;
  }

  cpu(): number {
    return this.#cpu;
  }

  startTimer(milliseconds: number, fire: () => void): SampleTimer {
    const refresh = (): void => {
      this.#timer = { at: this.#time + milliseconds, fire };
    };
    refresh();
    return { refresh, stop: () => (this.#timer = undefined) };
  }

  /** Lets time pass. Work blocks the loop for `blocked` of these milliseconds, at their begin. */
  pass(milliseconds: number, blocked = 0): void {
    const until = this.#time + milliseconds;
    const free = this.#time + blocked;
    while (this.#timer !== undefined && this.#timer.at <= until) {
      const { at, fire } = this.#timer;
      this.#timer = undefined;
      this.#advance(Math.max(at, free), free);
      this.fired += 1;
      fire();
    }
    this.#advance(until, free);
  }

  #advance(time: number, free: number): void {
    const blocked = Math.max(0, Math.min(time, free) - this.#time);
    this.#cpu += blocked + (time - this.#time - blocked) * this.load;
    this.#time = time;
  }
}

function started(): { loop: VirtualLoop; monitor: EventLoopDelayMonitor } & Disposable {
  const loop = new VirtualLoop();
  const monitor = new EventLoopDelayMonitor(loop);
  monitor.start();
  return { loop, monitor, [Symbol.dispose]: () => monitor.stop() };
}

afterEach(() => void jest.useRealTimers());

describe('the monitor of the event loop', () => {
  test('starts no timer that the fake timers of a test replace', () => {
    jest.useFakeTimers();
    const monitor = new EventLoopDelayMonitor();
    monitor.start();
    const count = jest.getTimerCount();
    monitor.stop();
    expect(count).toBe(0);
  });

  test('fires 5 timers a second in an idle process, and 100 in a busy one', () => {
    using setup = started();
    const { loop } = setup;
    // It becomes idle within two seconds.
    loop.pass(2_000);
    loop.fired = 0;
    loop.pass(60_000);
    expect(loop.fired).toBe(300);
    loop.load = 0.5;
    loop.pass(1_000);
    loop.fired = 0;
    loop.pass(60_000);
    expect(loop.fired).toBe(6_000);
  });

  test('counts a sample of an idle event loop for those that it replaces', () => {
    using setup = started();
    const { loop, monitor } = setup;
    loop.pass(60_000);
    expect(monitor.totals.count).toBeGreaterThan(5_950);
    expect(monitor.totals.count).toBeLessThanOrEqual(6_000);
    expect(monitor.totals.sum).toBe(0);
  });

  test('measures each delay of a busy event loop', () => {
    using setup = started();
    const { loop, monitor } = setup;
    loop.load = 0.5;
    loop.pass(10_000);
    loop.pass(1_000, 300);
    const longest = delaySeconds(monitor.recent.max);
    expect(longest).toBeGreaterThan(0.28);
    expect(longest).toBeLessThan(0.31);
  });

  test('measures the first delay after idle time at most 200 ms too short, and the next exactly', () => {
    using setup = started();
    const { loop, monitor } = setup;
    loop.pass(10_050);
    loop.pass(1_000, 500);
    const first = delaySeconds(monitor.recent.max);
    expect(first).toBeGreaterThanOrEqual(0.3);
    expect(first).toBeLessThanOrEqual(0.51);
    loop.pass(500, 490);
    expect(delaySeconds(monitor.recent.max)).toBeCloseTo(Math.max(first, 0.48), 1);
  });

  test('the quantiles cover one to two minutes, with or without reads; sum and count cover all samples', () => {
    using setup = started();
    const { loop, monitor } = setup;
    const longest = (): number => delaySeconds(monitor.recent.max);
    loop.load = 0.5;
    loop.pass(1_000);
    loop.pass(1_000, 300);
    loop.pass(60_000);
    expect(longest()).toBeGreaterThan(0.28);
    loop.pass(60_000);
    expect(longest()).toBeLessThan(0.01);
    expect(monitor.totals.sum).toBeGreaterThan(0.28);
    expect(monitor.totals.count).toBeGreaterThan(12_000);
  });

  test('fires no timer after its stop', () => {
    using setup = started();
    setup.monitor.stop();
    setup.loop.pass(60_000);
    expect(setup.loop.fired).toBe(0);
  });
});
