import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsInAnHour } from './runs-in-an-hour.ts';

test('an hour has 13 runs: one at the start, then one every 5 minutes', async () => {
  const expected = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60];
  assert.deepEqual(await runsInAnHour(), expected);
});
