import { expect, test } from '@jest/globals';
import { Stalls } from './stalls.ts';

test('Stalls measures the longest work in processor time', () => {
  const stalls = new Stalls();
  const { user, system } = process.threadCpuUsage();
  const used = (): number => {
    const now = process.threadCpuUsage();
    return (now.user + now.system - user - system) / 1000;
  };
  while (used() < 10);
  expect(stalls.stop()).toBeGreaterThanOrEqual(10);
});
