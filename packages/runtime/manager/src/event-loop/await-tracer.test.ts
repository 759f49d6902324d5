import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AwaitTracer, type TracedRun } from './await-tracer.ts';
import type { BlockedSpan } from './blocked-span.ts';

let now: number;
let spans: BlockedSpan[];
let tracer: AwaitTracer;
const storage = new AsyncLocalStorage<TracedRun>();

beforeEach(() => {
  now = 1000;
  spans = [];
  const origin = (): TracedRun | undefined => storage.getStore();
  tracer = new AwaitTracer({ warnAfter: 100, origin, now: () => now });
  tracer.start();
});

afterEach(() => {
  tracer.stop();
  Reflect.deleteProperty(Error, 'prepareStackTrace');
});

const block = (ms: number): void => void (now += ms);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Runs code as part of a run whose spans are recorded. */
const traced = <Result>(act: () => Result): Result =>
  storage.run({ blocked: (span) => void spans.push(span) }, act);

describe('AwaitTracer', () => {
  test('times each part of a run between its awaits, and no other code', async () => {
    block(500);
    await turn();
    block(500);
    await traced(async () => {
      await turn();
      block(99);
      await turn();
      block(100);
      await turn();
      block(300);
    });
    block(500);
    await turn();
    const times = spans.map(({ startedAt, endedAt }) => endedAt - startedAt);
    expect(times).toEqual([100, 300]);
    expect(spans.every(({ awaitedAt = [] }) => awaitedAt.length > 0)).toBe(true);
  });

  test('times a callback that a run started, with the frames that started it', async () => {
    const done = Promise.withResolvers<void>();
    traced(() => {
      setTimeout(() => {
        block(200);
        done.resolve();
      }, 1);
    });
    await done.promise;
    await turn();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.awaitedAt?.[0]).toContain('await-tracer.test');
  });

  test('reports an inner scope before the part around it', async () => {
    await traced(async () => {
      await turn();
      const inner = new AsyncResource('inner');
      block(10);
      // A scope may be entered again from within.
      inner.runInAsyncScope(() => {
        block(10);
        inner.runInAsyncScope(() => block(200));
      });
      block(10);
    });
    const times = spans.map(({ startedAt, endedAt }) => endedAt - startedAt);
    expect(times).toEqual([200, 210, 230]);
  });

  test('survives a scope that ends with an error', async () => {
    await traced(async () => {
      await turn();
      const inner = new AsyncResource('inner');
      const fail = (): void => {
        throw new Error('inner');
      };
      expect(() => inner.runInAsyncScope(fail)).toThrow('inner');
      block(150);
      await turn();
      block(120);
    });
    expect(spans.map(({ startedAt, endedAt }) => endedAt - startedAt)).toEqual([150, 120]);
  });

  test('reports without frames if user code breaks the format of stacks', async () => {
    await traced(async () => {
      await turn();
      block(200);
      Error.prepareStackTrace = () => {
        throw new Error('broken');
      };
    });
    expect(spans).toMatchObject([{ awaitedAt: undefined }]);
  });

  test('times nothing after its stop', async () => {
    tracer.stop();
    await traced(async () => {
      await turn();
      block(200);
    });
    expect(spans).toEqual([]);
  });
});
