import { describe, expect, test } from '@jest/globals';
import type { ReplicaSample } from '../replica/replicas.ts';
import { Recording } from './recording.ts';

const rested: ReplicaSample = {
  replica: 'replica-1',
  isLeader: true,
  heap: 30e6,
  rss: 100e6,
  sockets: 2,
  timers: 5,
  series: 300,
  handles: 4,
  queued: 0,
  lag: 10,
};

/** The growth over these rests, a minute apart. */
function growthOf(...rests: readonly Partial<ReplicaSample>[]): string[] {
  let seconds = 0;
  const recording = new Recording(() => (seconds += 60));
  for (const rest of rests) recording.rest([{ ...rested, ...rest }]);
  return recording.growth();
}

describe('the growth from rest to rest', () => {
  test('is not reported for figures within their limits', () => {
    expect(growthOf({}, { heap: 40e6, sockets: 8, timers: 11, series: 330 })).toEqual([]);
  });

  test.each<[Partial<ReplicaSample>, string]>([
    [{ heap: 43e6 }, 'replica-1: live heap, MB at rest: 30.0 after 60 s, 43.0 after 120 s'],
    [{ handles: 5 }, 'replica-1: handles on watches at rest: 4.0 after 60 s, 5.0 after 120 s'],
    [{ sockets: 9 }, 'replica-1: sockets at rest: 2.0 after 60 s, 9.0 after 120 s'],
    [{ timers: 12 }, 'replica-1: timers at rest: 5.0 after 60 s, 12.0 after 120 s'],
    [{ series: 331 }, 'replica-1: metric series at rest: 300.0 after 60 s, 331.0 after 120 s'],
  ])('names the figure %p', (last, line) => {
    expect(growthOf({}, last)).toEqual([line]);
  });

  test('compares with the first rest as a leader, which needs more than a standby', () => {
    expect(growthOf({ isLeader: false }, { handles: 6 }, { handles: 6 })).toEqual([]);
    expect(growthOf({ isLeader: false }, { handles: 6 }, { handles: 7 })).toHaveLength(1);
  });

  test('compares the rests of one process only', () => {
    expect(growthOf({}, { replica: 'replica-2', handles: 9 })).toEqual([]);
  });

  test('reports requests that wait in the queue of a leader', () => {
    expect(growthOf({ queued: 2 })).toEqual(['replica-1: 2 requests wait at rest']);
    expect(growthOf({ queued: 2, isLeader: false })).toEqual([]);
  });
});
