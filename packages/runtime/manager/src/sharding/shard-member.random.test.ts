import { describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { simulateShards } from '../testing/shard-simulation.test-support.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

describe('the replicas of a sharding', () => {
  test('never run a slot twice, and run every slot after the faults, at random events', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), simulateShards), {
      numRuns: Math.ceil(100 * multiple),
    });
  }, 21_600_000);
});
