import { describe, expect, test } from '@jest/globals';
import { openSuite } from './suite.ts';
import { rollOut } from './webhook-rollout/rollout.ts';

const suite = openSuite();

describe('the webhook of an operator', () => {
  // The suite of the control plane writes ten thousand, on a real server too.
  test('reviews every write while its replicas and certificates are replaced', async () => {
    const { failures, reviews, exitCodes } = await rollOut(suite, 1000);
    expect(failures).toEqual([]);
    expect(reviews.has('none')).toBe(false);
    expect(reviews.size).toBe(8);
    expect(exitCodes).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
