import { beforeEach, describe, expect, test } from '@jest/globals';
import { RunRecord, type RunStep } from './run-record.ts';

describe('the record of the runs', () => {
  let record: RunRecord;
  let at = 0;

  beforeEach(() => {
    record = new RunRecord();
    at = 0;
  });

  /** Adds a step such as `begin a#1`, of the replica `a`, each one millisecond after the former one. */
  function add(key: string, ...steps: readonly string[]): void {
    for (const text of steps) {
      const [step, run = ''] = text.split(' ');
      const [replica = ''] = run.split('#');
      at += 1;
      record.add({ key, replica, run, step: step as RunStep['step'], at });
    }
  }

  test('has no complaint about a key that moves between two runs', () => {
    add('k', 'begin a#1', 'end a#1', 'begin b#1', 'end b#1', 'begin a#2', 'end a#2');
    expect([record.lateWrites, record.interruptions]).toEqual([[], []]);
  });

  test('reports a write of a run after another replica has begun one', () => {
    add('k', 'begin a#1', 'begin b#1', 'end b#1', 'end a#1');
    expect(record.lateWrites).toEqual(['k: end of a#1 after b#1']);
    expect(record.interruptions).toEqual([{ key: 'k', run: 'a#1', replica: 'a', by: 'b' }]);
  });

  test('reports a late write after the key has moved back', () => {
    add('k', 'begin a#1', 'begin b#1', 'end b#1', 'begin a#2', 'end a#1');
    expect(record.lateWrites).toEqual(['k: end of a#1 after b#1']);
  });

  test('accepts that a replica repeats a run whose write failed', () => {
    add('k', 'begin a#1', 'begin a#2', 'end a#1', 'end a#2');
    expect([record.lateWrites, record.interruptions]).toEqual([[], []]);
  });

  test('measures a takeover by the keys that the replica ran last', () => {
    add('moved before', 'begin a#1', 'end a#1', 'begin b#1');
    add('moved', 'begin a#2', 'end a#2');
    const since = at;
    add('own', 'begin b#2');
    add('moved', 'begin b#3');
    expect(record.takeover('a', since)).toEqual({ keys: 1, milliseconds: 2 });
    expect(record.longestPause(since)).toBe(3);
  });

  test('is shared when each replica, and no other one, has run keys after a time', () => {
    add('k1', 'begin a#1', 'end a#1');
    add('k2', 'begin b#1');
    expect(record.isSharedBy(['a', 'b'], 2, 0)).toBe(true);
    expect(record.isSharedBy(['a', 'b'], 3, 0)).toBe(false);
    expect(record.isSharedBy(['a', 'b'], 2, 1)).toBe(false);
    expect(record.isSharedBy(['a', 'b', 'c'], 2, 0)).toBe(false);
    expect(record.isSharedBy(['a'], 2, 0)).toBe(false);
    expect([record.hasOpenRun('a'), record.hasOpenRun('b')]).toEqual([false, true]);
    expect([record.isHandedOver('a'), record.isHandedOver('c')]).toEqual([false, true]);
  });
});
