import { expect, test } from '@jest/globals';
import { orderOfRun } from './order-of-run.ts';

test.each([2, 3, 4, 5])(
  'each of %i contenders has an odd and an even place in two runs',
  (count) => {
    const contenders = Array.from({ length: count }, (_, at) => at);
    const sequence = [1, 2].flatMap((run) => orderOfRun(contenders, run));
    for (const contender of contenders) {
      const places = sequence.flatMap((one, at) => (one === contender ? [at % 2] : []));
      expect(new Set(places)).toEqual(new Set([0, 1]));
    }
  },
);
