import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { VirtualClock } from './virtual-clock.ts';

let clock: VirtualClock;

beforeEach(() => {
  clock = new VirtualClock();
  clock.install();
});
afterEach(() => {
  clock.uninstall();
});

test('timers run in the order of their times, and only while time passes', async () => {
  const seen: string[] = [];
  setTimeout(() => seen.push('late'), 20);
  setTimeout(() => seen.push('early'), 10);
  const cancelled = setTimeout(() => seen.push('cancelled'), 5);
  clearTimeout(cancelled);
  await clock.idle();
  expect(seen).toEqual([]);
  await clock.pass(15);
  expect(seen).toEqual(['early']);
  await clock.pass(5);
  expect(seen).toEqual(['early', 'late']);
  expect(clock.pending).toBe(0);
});

test('an interval repeats until it is cleared', async () => {
  const times: number[] = [];
  const interval = setInterval(() => times.push(performance.now()), 10);
  const began = performance.now();
  await clock.pass(35);
  clearInterval(interval);
  await clock.pass(100);
  expect(times.map((time) => time - began)).toEqual([10, 20, 30]);
});

test('promises settle before the next immediate runs', async () => {
  const seen: string[] = [];
  const first = new Promise<void>((resolve) => setImmediate(resolve));
  const chain = async (): Promise<void> => {
    await first;
    await Promise.resolve();
    seen.push('after the first');
  };
  void chain();
  setImmediate(() => seen.push('second'));
  await clock.idle();
  expect(seen).toEqual(['after the first', 'second']);
});

test('callbacks run in the async context of their timer', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  storage.run('mine', () => setTimeout(() => seen.push(storage.getStore()), 1));
  await clock.pass(1);
  expect(seen).toEqual(['mine']);
});

test('a reading of a slow clock takes time', () => {
  clock.readingMs = 3;
  const before = performance.now();
  expect(performance.now() - before).toBe(3);
});

test('work without an end is refused', async () => {
  const again = (): void => void setImmediate(again);
  again();
  await expect(clock.idle()).rejects.toThrow('work without an end');
});

test('uninstall restores the timers and clocks of the process', () => {
  const virtual = [setTimeout, setImmediate, performance, Date.now];
  clock.uninstall();
  expect([setTimeout, setImmediate, performance, Date.now]).not.toEqual(virtual);
  expect(performance.timeOrigin).toBeGreaterThan(0);
});
