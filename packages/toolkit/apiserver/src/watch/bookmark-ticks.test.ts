import type { Clock } from '@keelson/apimachinery';
import { expect, test } from '@jest/globals';
import { BookmarkTicks } from './bookmark-ticks.ts';

/** A clock with at most one timer. */
class ManualClock implements Clock {
  readonly started: number[] = [];
  #time = 0;
  #timer: { readonly at: number; readonly fire: () => void } | undefined;

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  random(): number {
    return 0;
  }

  startTimer(milliseconds: number, fire: () => void): () => void {
    this.started.push(milliseconds);
    const timer = { at: this.#time + milliseconds, fire };
    this.#timer = timer;
    return () => {
      if (this.#timer === timer) this.#timer = undefined;
    };
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds;
    const timer = this.#timer;
    if (timer === undefined || timer.at > this.#time) return;
    this.#timer = undefined;
    timer.fire();
  }

  get isIdle(): boolean {
    return this.#timer === undefined;
  }
}

test('watches share the times of their bookmarks, and one timer', () => {
  const clock = new ManualClock();
  const ticks = new BookmarkTicks(clock, 60);
  const heard: string[] = [];
  clock.pass(10);
  const stopOne = ticks.add(() => heard.push('one'));
  clock.pass(30);
  const stopOther = ticks.add(() => heard.push('other'));
  expect(clock.started).toEqual([50]);
  clock.pass(20);
  expect(heard).toEqual(['one', 'other']);
  stopOne();
  clock.pass(60);
  expect(heard.slice(2)).toEqual(['other']);
  stopOther();
  expect([clock.isIdle, clock.started]).toEqual([true, [50, 60, 60]]);
  clock.pass(20);
  ticks.add(() => heard.push('late'));
  clock.pass(40);
  expect(heard.slice(3)).toEqual(['late']);
});

test('a watch that ends during the tick starts no further timer', () => {
  const clock = new ManualClock();
  const ticks = new BookmarkTicks(clock, 60);
  const stop = ticks.add(() => stop());
  clock.pass(60);
  expect(clock.isIdle).toBe(true);
});
