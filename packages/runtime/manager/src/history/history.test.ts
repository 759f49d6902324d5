import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import * as fc from 'fast-check';
import { CauseSet } from '../reconcile/cause.ts';
import { decidedEvents } from './event-decision.ts';
import { History } from './history.ts';
import { addCall, errorOf } from './recorded-run.ts';

const source = new CauseSet('for WebApp');
const add = { cause: source.by.updated, priority: 0 };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The bytes that live objects take. */
function usedBytes(): number {
  for (let collection = 0; collection < 2; collection += 1) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** An update of an object to a version. */
function updateOf(key: string, version: number): InformerEvent {
  const view = (resourceVersion: string): ObjectView => ({ key, resourceVersion }) as ObjectView;
  const versions = { object: view(String(version)), previous: view(String(version - 1)) };
  return { type: 'updated', key, ...versions, receivedAt: 0 };
}

const work = { priority: 0, queuedMs: 0, causes: [], startedAt: 0 };

const step = fc.record({
  does: fc.constantFrom('queue', 'drop', 'run', 'run long'),
  key: fc.integer({ min: 0, max: 50 }),
});

describe('History', () => {
  test('keeps the latest events of a request in their order', () => {
    const history = new History(1_000_000);
    for (let version = 1; version <= 20; version += 1) {
      history.queued('a', add, updateOf('a', version), version);
    }
    const events = history.of('a')?.events() ?? [];
    expect(events.map(({ after }) => after)).toEqual([
      '13',
      '14',
      '15',
      '16',
      '17',
      '18',
      '19',
      '20',
    ]);
    expect(events.at(-1)).toEqual({
      at: 20,
      cause: add.cause,
      object: 'a',
      before: '19',
      after: '20',
      priority: 0,
      delay: 0,
      delayedBy: undefined,
    });
  });

  test('keeps one event of each request that both states of an update queue', () => {
    const history = new History(1_000_000);
    for (let version = 1; version <= 2; version += 1) {
      const event = updateOf('a', version);
      for (const key of ['r1', 'r2', 'r1', 'r2']) history.queued(key, add, event, version);
    }
    for (const key of ['r1', 'r2']) {
      expect(
        history
          .of(key)
          ?.events()
          .map(({ after }) => after),
      ).toEqual(['1', '2']);
    }
  });

  test('decides about events by their order, also if a clock stands still', () => {
    const still = { ...systemClock, monotonic: () => 0 };
    const history = new History(1_000_000, still);
    const queue = (version: number): void =>
      history.queued('a', add, updateOf('a', version), version);
    const decisions = (): (string | undefined)[] => {
      const request = history.of('a');
      return request === undefined ? [] : decidedEvents(request).map(({ decision }) => decision);
    };
    queue(1);
    queue(2);
    history.ended('a', history.began('a', 1, work), 0);
    queue(3);
    queue(4);
    expect(decisions()).toEqual(['superseded', 'run', 'superseded', 'waiting']);
    history.purged('a', 'watch-removed', 0);
    queue(5);
    expect(decisions()).toEqual(['superseded', 'run', 'purged', 'purged', 'waiting']);
    for (let run = 0; run < 4; run += 1) history.ended('a', history.began('a', 1, work), 0);
    expect(decisions()).toEqual([undefined, undefined, 'purged', 'purged', 'run']);
  });

  test('forgets the request that ran longest ago first, and counts what it forgets', () => {
    const history = new History(20_000);
    for (let at = 0; at < 1000; at += 1) {
      history.queued(`r${at}`, add, undefined, at);
      history.ended('kept', history.began('kept', 1, work), 5);
    }
    expect(history.of('kept')?.runs).toHaveLength(4);
    expect(history.of('r999')).toBeDefined();
    expect(history.of('r1')).toBeUndefined();
  });

  test('keeps no fact of a forgotten request when another takes its place', () => {
    const history = new History(8000);
    const run = history.began('old', 1, work);
    history.queued('old', add, updateOf('old', 1), 1);
    history.purged('old', 'watch-removed', 2);
    let next = 0;
    while (history.of('old') !== undefined) history.began(`r${next++}`, 1, work);
    history.queued('new', add, undefined, 3);
    const { bytes } = history;
    history.ended('old', run, 5);
    expect(history.bytes).toBe(bytes);
    const found = history.of('new');
    expect(found?.events()).toMatchObject([{ at: 3, object: undefined }]);
    expect(found).toMatchObject({
      key: 'new',
      runs: [],
      purge: undefined,
      totalEvents: 1,
      takenEvents: 0,
    });
  });

  test('stays within its bytes, and is empty when all of them are forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const limit = 8000;
        const history = new History(limit);
        for (const [at, { does, key: number }] of steps.entries()) {
          const key = `n/${number}`;
          if (does === 'queue') history.queued(key, add, updateOf(key, at), at);
          else if (does === 'drop') {
            history.drop(source, updateOf(key, at), { reason: 'filtered', predicate: 0, at });
          } else {
            const run = history.began(key, 1, work);
            if (does === 'run long') run.error = errorOf(new Error('x'.repeat(1000)));
            history.ended(key, run, 5);
          }
        }
        expect(history.bytes).toBeLessThanOrEqual(limit);
        expect(history.bytes > 0).toBe(history.size > 0 || history.dropped.bytes > 0);
      }),
    );
  });

  test('counts the characters of keys', () => {
    const history = new History(100_000);
    for (let at = 0; at < 100; at += 1) {
      history.ended(`r${at}`, history.began(`${'k'.repeat(10_000)}${at}`, 1, work), 5);
    }
    expect(history.size).toBeLessThan(10);
  });

  test('stays within its bytes with one request that fails after many calls', () => {
    const history = new History(4096);
    for (let at = 0; at < 8; at += 1) {
      history.queued('a', add, updateOf('a', at), at);
      const run = history.began('a', 1, work);
      for (let call = 0; call < 20; call += 1) {
        addCall(run, { verb: 'list', path: '/api/v1/pods' } as never, { code: 200, duration: 1 });
      }
      run.error = errorOf(new Error('x'.repeat(1000)));
      history.ended('a', run, 5);
      expect(history.bytes).toBeLessThanOrEqual(4096);
      expect(history.of('a')?.runs.at(-1)).toBe(run);
    }
    expect(history.of('a')?.runs[0]).toMatchObject({ callCount: 20, error: { name: 'Error' } });
  });

  test('takes no more memory than its limit, with the strings that only it keeps', () => {
    const limit = 4 * 1024 * 1024;
    const fill = (): History => {
      const history = new History(limit);
      for (let index = 0; index < 12_000; index += 1) {
        const key = `namespace/an-object-with-a-name-${index}`;
        const event = updateOf(key, 1_000_000 + index);
        history.queued(key, add, event, index);
        history.drop(source, event, { reason: 'filtered', predicate: 0, at: index });
        const run = history.began(key, 1, { ...work, startedAt: index + 0.5, causes: [add.cause] });
        const path = `/api/v1/namespaces/namespace/configmaps/an-object-with-a-name-${index}`;
        const request = { verb: 'patch', method: 'PATCH', host: 'h', path } as const;
        for (let call = 0; call < 3; call += 1) addCall(run, request, { code: 200, duration: 1.5 });
        run.reconcileId = randomUUID();
        run.nextAt = index + 1.5;
        history.ended(key, run, 1.25);
      }
      return history;
    };
    fill();
    const before = usedBytes();
    const history = fill();
    const used = usedBytes() - before;
    expect(history.size).toBeGreaterThan(1000);
    expect(used).toBeLessThan(1.1 * limit);
  });

  test('counts the dropped events of an object, and keeps one entry for each source', () => {
    const { dropped } = new History(1_000_000);
    const other = new CauseSet('watch Secret');
    dropped.add(source, updateOf('a', 1), { reason: 'filtered', predicate: 1, at: 5 });
    dropped.add(source, updateOf('a', 2), { reason: 'no-request', at: 6 });
    dropped.add(other, updateOf('a', 3), { reason: 'own-write', at: 7 });
    expect(dropped.of('a')).toMatchObject([
      { source: other, reason: 'own-write', count: 1 },
      { source, reason: 'no-request', predicate: undefined, resourceVersion: '2', count: 2 },
    ]);
  });
});

describe('a recorded run', () => {
  test.each<[unknown, object]>([
    [new TypeError('x is not a function'), { name: 'TypeError', message: 'x is not a function' }],
    ['text', { name: 'thrown value', message: 'text' }],
    [{ reason: 'none' }, { name: 'thrown value', message: '{"reason":"none"}' }],
    [undefined, { name: 'thrown value', message: 'undefined' }],
  ])('keeps the text of the thrown value %p', (thrown, error) => {
    expect(errorOf(thrown)).toMatchObject(error);
  });

  test('keeps the first requests of many, and counts all', () => {
    const run = new History(1000).began('a', 1, work);
    const request = { verb: 'get', method: 'GET', host: 'h', path: '/api' } as const;
    for (let call = 0; call < 40; call += 1) addCall(run, request, { code: 200, duration: call });
    expect([run.calls?.length, run.callCount]).toEqual([16, 40]);
  });
});
