import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  countShardTraffic,
  simulateManyShards,
  simulateShards,
} from '../testing/shard-simulation.test-support.ts';
import { SLOTS } from './slots.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);
/** 100 take a minute of processor time. */
const many = multiple >= 10 ? 100 : multiple >= 1 ? 20 : 8;

describe('the replicas of a sharding', () => {
  test('never run a slot twice, and run every slot after the faults, at random events', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), simulateShards), {
      numRuns: Math.ceil(100 * multiple),
    });
  }, 21_600_000);

  test(`that are ${many} never run a slot twice, and run every slot after the faults`, async () => {
    await simulateManyShards(1, many);
  }, 21_600_000);

  test(`that are ${many} write their Leases for a move only if they give or take slots`, async () => {
    const { writesPerSecond, join, leave } = await countShardTraffic(1, many);
    const moved = SLOTS / (many + 1) + SLOTS * 0.05;
    expect(writesPerSecond).toBeLessThanOrEqual((many / 2) * 1.1);
    for (const { others } of [join, leave]) {
      expect(others).toBeGreaterThan(0);
      expect(others).toBeLessThanOrEqual(Math.min(many, moved));
    }
    // Each of the others lists once for the slots that it takes at a leave, and never at a join.
    expect([join.lists, leave.lists]).toEqual([0, leave.others]);
  }, 21_600_000);
});
