import { describe, expect, jest } from '@jest/globals';
import { openSuite, testWithControls } from './suite.ts';
import { rollOut } from './webhook-rollout/rollout.ts';

const suite = openSuite();
const WRITES = 10_000;

// A kube-apiserver on a busy machine reviews about a hundred writes a second.
jest.setTimeout(900_000);

describe('the webhook of an operator', () => {
  testWithControls(
    'reviews ten thousand writes while its replicas and certificates are replaced, without a failure',
    async () => {
      const { failures, reviews, exitCodes } = await rollOut(suite, WRITES);
      expect(failures).toEqual([]);
      expect(reviews.has('none')).toBe(false);
      expect([...reviews.keys()].toSorted()).toEqual(
        [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `replica-${number}`),
      );
      const all = [...reviews.values()].reduce((sum, count) => sum + count, 0);
      expect(all).toBeGreaterThanOrEqual(WRITES);
      expect(exitCodes).toEqual([0, 0, 0, 0, 0, 0]);
    },
  );
});
