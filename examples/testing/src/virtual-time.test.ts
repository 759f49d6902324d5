// #region time-jest
import { expect, test } from '@jest/globals';
import { runsInAnHour } from './runs-in-an-hour.ts';

test('an hour has 13 runs: one at the start, then one every 5 minutes', async () => {
  expect(await runsInAnHour()).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]);
});
// #endregion
