import { describe, expect, test } from '@jest/globals';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { TracedReconcile, TracedSpan, Tracing } from '../tracing.ts';
import { RecentEntries } from '../values/recent-entries.ts';
import { ControllerTracing } from './controller-tracing.ts';

const run = { attempt: 1, priority: 0, causes: [], reconcileId: 'id' };
const identity = { traceId: '1', spanId: '2', traceFlags: 1 };

/** A tracing of one controller that notes the causes of the spans that begin. */
function noting(): { tracing: ControllerTracing; begun: TracedReconcile[]; span: TracedSpan } {
  const begun: TracedReconcile[] = [];
  const span: TracedSpan = { identity, run: (act) => act(), end: () => undefined };
  const tracing: Tracing = {
    slowEventMs: Infinity,
    requests: { begin: () => undefined },
    begin(work) {
      if (work.type === 'reconcile') begun.push(work);
      return span;
    },
    record: () => undefined,
    current: () => undefined,
  };
  return { tracing: new ControllerTracing(tracing, 'web-app'), begun, span };
}

function viewOf(resourceVersion: string): ObjectView {
  return { uid: 'u', resourceVersion } as ObjectView;
}

function updated(before: ObjectView, after: ObjectView): InformerEvent {
  return { type: 'updated', object: after, previous: before } as InformerEvent;
}

function added(initial: boolean): InformerEvent {
  return { type: 'added', initial, object: viewOf('1') } as InformerEvent;
}

describe('the tracing of a controller', () => {
  test('passes the versions that queued a request to its next run, and no further', () => {
    const { tracing, begun } = noting();
    tracing.queued('shop/web', updated(viewOf('1'), viewOf('2')));
    tracing.queued('shop/web', added(false));
    tracing.queued('shop/other', updated(viewOf('3'), viewOf('4')));
    const facts = { key: 'shop/web', request: { namespace: 'shop', name: 'web' } };
    tracing.began(facts, run);
    tracing.began(facts, run);
    expect(begun.map(({ causedBy, namespace }) => [namespace, causedBy])).toEqual([
      [
        'shop',
        [
          { uid: 'u', resourceVersion: '2' },
          { uid: 'u', resourceVersion: '1' },
        ],
      ],
      ['shop', []],
    ]);
  });

  test('keeps no version of an initial object and of a resync, and eight causes of a request', () => {
    const { tracing, begun } = noting();
    const same = viewOf('1');
    tracing.queued('web', added(true));
    tracing.queued('web', updated(same, same));
    tracing.began({ key: 'web', request: { namespace: 7 } }, run);
    for (let version = 0; version < 20; version += 1) {
      tracing.queued('web', updated(same, viewOf(String(version))));
    }
    tracing.began({ key: 'web', request: {} }, run);
    expect(begun.map(({ causedBy, namespace }) => [namespace, causedBy.length])).toEqual([
      [undefined, 0],
      [undefined, 8],
    ]);
  });

  test('passes a run to the next one of its request, unless it succeeded', () => {
    const { tracing, begun, span } = noting();
    const facts = { key: 'web', request: {} };
    for (const result of ['requeue', 'success']) {
      tracing.began(facts, run);
      tracing.ended('web', span, { result });
    }
    tracing.began(facts, run);
    expect(begun.map(({ causedBy }) => causedBy)).toEqual([[], [identity], []]);
  });
});

describe('recent entries', () => {
  test('forget the entry that was set longest ago', () => {
    const entries = new RecentEntries<number>(2);
    entries.set('a', 1);
    entries.set('b', 2);
    entries.set('a', 3);
    entries.set('c', 4);
    expect(['a', 'b', 'c'].map((key) => entries.get(key))).toEqual([3, undefined, 4]);
    expect([entries.take('a'), entries.take('a'), entries.size]).toEqual([3, undefined, 1]);
  });

  test('keep at least the latest half of their limit, and never more than the limit', () => {
    const entries = new RecentEntries<number>(10);
    for (let at = 0; at < 100; at += 1) {
      entries.set(`k${at}`, at);
      if (at % 3 === 0) entries.set('often', at);
      expect(entries.size).toBeLessThanOrEqual(10);
      const latest = [at, at - 1, at - 2].filter((number) => number >= 0);
      expect(latest.map((number) => entries.get(`k${number}`))).toEqual(latest);
    }
    expect(entries.get('often')).toBe(99);
  });
});
