import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually, managersOfTest, running, WebApp } from '../testing/fixtures.test-support.ts';
import { GuardedTracing } from './guarded-tracing.ts';
import type { TracedSpan, Tracing } from './tracing.ts';

const managers = managersOfTest();
const boom = new Error('boom');
const fail = (): never => {
  throw boom;
};
const reject = (): never => Promise.reject(boom) as never;

const faults: Readonly<Record<string, () => never>> = {
  throws: fail,
  rejects: reject,
  'returns an object with a promise that rejects': () =>
    ({ identity: Promise.reject(boom), headers: Promise.reject(boom) }) as never,
};

const span: TracedSpan = { identity: undefined, run: (act) => act(), end: () => undefined };
const tracingWith = (own: object): Tracing => ({
  slowEventMs: 0,
  requests: { begin: () => undefined },
  begin: () => span,
  record: () => undefined,
  current: () => undefined,
  ...own,
});

const places: Readonly<Record<string, (fault: () => never) => object>> = {
  begin: (begin) => ({ begin }),
  record: (record) => ({ record }),
  current: (current) => ({ current }),
  'requests.begin': (begin) => ({ requests: { begin } }),
  'span.run': (run) => ({ begin: () => ({ ...span, run }) }),
  'span.run after the call': (fault) => ({
    begin: () => ({
      ...span,
      run: (act: () => unknown) => {
        act();
        return fault();
      },
    }),
  }),
  'span.end': (end) => ({ begin: () => ({ ...span, end }) }),
  'a getter of span.identity': (get) => ({
    begin: () => Object.defineProperty({ ...span }, 'identity', { get }),
  }),
  'a getter of slowEventMs': (get) =>
    Object.defineProperty(tracingWith({}), 'slowEventMs', { get }),
};

let warned: jest.Spied<typeof process.emitWarning>;

beforeEach(() => {
  warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => warned.mockRestore());

/** Jest fails a test whose rejections are not handled. */
describe('a tracing of the user', () => {
  describe.each(Object.entries(places))('whose %s', (name, place) => {
    test.each(Object.entries(faults))(
      '%s loses no run, and is reported once at most',
      async (kind, fault) => {
        const own = place(fault);
        const tracing = name.startsWith('a getter of slow') ? (own as Tracing) : tracingWith(own);
        const { manager, cache } = managers.make({ tracing });
        const runs: string[] = [];
        const controller = manager.addController({
          name: 'traced',
          for: WebApp,
          backoff: { base: 1, max: 1 },
          reconcile({ name: object }) {
            runs.push(object);
            if (runs.length === 1) throw new Error('planned');
          },
        });
        await running(manager);
        cache.set(WebApp, { metadata: { namespace: 'default', name: 'a' } });
        controller.enqueue({ namespace: 'default', name: 'b' });
        await eventually(() => runs.length >= 3 && controller.running === 0);
        await manager.stop();
        await setImmediate();
        expect(runs.toSorted()).toEqual(runs[0] === 'a' ? ['a', 'a', 'b'] : ['a', 'b', 'b']);
        const reports = warned.mock.calls.filter(([text]) =>
          String(text).startsWith('the tracing'),
        );
        expect(reports.length).toBeLessThanOrEqual(1);
        const isCalled = !name.startsWith('requests') && name !== 'record';
        if (kind === 'throws' && isCalled) expect(reports).toHaveLength(1);
      },
    );
  });

  test('gets its own span as the parent of a request', () => {
    const parents: unknown[] = [];
    const requests = { begin: (_: unknown, parent: unknown) => void parents.push(parent) };
    const guarded = new GuardedTracing(tracingWith({ requests }));
    const begun = guarded.begin({ type: 'review' } as never);
    guarded.requests.begin({} as never, begun);
    expect(parents).toEqual([span]);
    expect(parents[0]).toBe(span);
  });

  test('receives the result and the error of a run, which is called once', () => {
    const results: unknown[] = [];
    const run = <Result>(act: () => Result): Result => {
      act();
      results.push(act());
      return act();
    };
    const guarded = new GuardedTracing(tracingWith({ begin: () => ({ ...span, run }) }));
    const begun = guarded.begin({ type: 'review' } as never);
    let calls = 0;
    expect(begun?.run(() => ++calls)).toBe(1);
    expect(results).toEqual([1]);
    expect(() => begun?.run(fail)).toThrow(boom);
    expect(warned).not.toHaveBeenCalled();
  });
});
