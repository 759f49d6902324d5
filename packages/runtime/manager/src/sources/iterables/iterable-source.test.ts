import { getEventListeners } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
  WebApp,
} from '../../testing/fixtures.test-support.ts';
import type { Request } from '../../reconcile/request.ts';

const managers = managersOfTest();

/** Yields one request, then ends. */
async function* yielding(name: string): AsyncGenerator<Request> {
  yield { name };
}

/** An async iterable that the test pushes to. */
class Pushed implements AsyncIterable<Request> {
  readonly #values: Request[] = [];
  #wake = Promise.withResolvers<void>();
  returned = 0;

  push(name: string): void {
    this.#values.push({ name });
    this.#wake.resolve();
  }

  [Symbol.asyncIterator](): AsyncIterator<Request> {
    return {
      next: async () => {
        while (this.#values.length === 0) {
          await this.#wake.promise;
          this.#wake = Promise.withResolvers<void>();
        }
        return { done: false, value: this.#values.shift() as Request };
      },
      return: async () => {
        this.returned += 1;
        return { done: true, value: undefined };
      },
    };
  }
}

describe('an async-iterable source', () => {
  test('CT11 values from before and after the start are queued with their cause and priority', async () => {
    const { manager } = managers.make();
    const requests = new Pushed();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'queue', requests, priority: 4 }],
      reconcile({ name }, { causes, priority }) {
        seen.push(`${name} ${priority} ${causes[0]?.source} ${causes[0]?.reason}`);
      },
    });
    requests.push('before');
    await running(manager);
    requests.push('after');
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['before 4 queue value', 'after 4 queue value']);
    await controller.stop();
    expect(requests.returned).toBe(1);
  });

  test('CT13 an error of a source at the start rejects the start', async () => {
    const { manager } = managers.make();
    const cause = new Error('no queue');
    manager.addController({
      name: 'queue-fed',
      sources: [
        {
          name: 'queue',
          requests() {
            throw cause;
          },
        },
      ],
      reconcile: () => undefined,
    });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      facts: { source: 'queue' },
      cause,
    });
  });

  test('opens before the sync only in the phase caches, and otherwise after it', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    const opened: string[] = [];
    const seen: string[] = [];
    const open = (name: string) => (): AsyncIterable<Request> => {
      opened.push(name);
      return yielding(name);
    };
    manager.addController({
      name: 'queue-fed',
      for: WebApp,
      sources: [
        { name: 'by default', requests: open('by default') },
        { name: 'leader', requests: open('leader'), phase: 'leader' },
        { name: 'caches', requests: open('caches'), phase: 'caches' },
      ],
      reconcile: ({ name }) => void seen.push(name),
    });
    manager.start().catch(nothing);
    await eventually(() => opened.length > 0 && cache.handles.size === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toEqual(['caches']);
    cache.sync(WebApp);
    await eventually(() => seen.length === 3);
    expect(opened).toEqual(['caches', 'by default', 'leader']);
  });

  test('is never opened if its controller stops before the phase leader', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    let opened = 0;
    const requests = (): AsyncIterable<Request> => {
      opened += 1;
      return yielding('a');
    };
    const controller = manager.addController({
      name: 'queue-fed',
      for: WebApp,
      sources: [{ name: 'queue', requests }],
      reconcile: nothing,
    });
    manager.start().catch(nothing);
    await eventually(() => cache.handles.size === 1);
    await controller.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toBe(0);
  });

  test.each(['caches', 'leader'] as const)(
    'CT13 an error of a source at the start of the phase %s stops a controller that was added at run time',
    async (phase) => {
      const { logger, lines } = recordingLogger();
      const { manager } = managers.make({ logger });
      await running(manager);
      const requests = (): never => {
        throw new Error('no queue');
      };
      manager.addController({
        name: 'late',
        sources: [{ name: 'queue', requests, phase }],
        reconcile: nothing,
      });
      const failed = (): unknown =>
        lines.find(({ message }) => message === 'controller did not start');
      await eventually(() => failed() !== undefined);
      expect(failed()).toMatchObject({ err: { code: 'SOURCE_FAILED' } });
      await eventually(() => lines.some(({ message }) => message === 'controller stopped'));
    },
  );

  test.each([
    ['a generator object', (generator: AsyncGenerator<Request>) => generator],
    [
      'a function that returns one generator',
      (generator: AsyncGenerator<Request>) => () => generator,
    ],
  ])(
    'reports SOURCE_ENDED after a failure if it cannot be read again: %s',
    async (_name, requestsOf) => {
      useFakeTime({ setImmediate: true });
      const { logger, lines } = recordingLogger();
      // Without the timer that exists while reconciles run.
      const { manager } = managers.make({ logger, eventLoop: { warnAfter: 0 } });
      const fail = gate();
      const seen: string[] = [];
      async function* requests(): AsyncGenerator<Request> {
        yield { name: 'one' };
        await fail.opened;
        throw new Error('the connection broke');
      }
      manager.addController({
        name: 'queue-fed',
        sources: [{ name: 'queue', requests: requestsOf(requests()) }],
        reconcile: ({ name }) => void seen.push(name),
      });
      await running(manager);
      await eventually(() => seen.length === 1);
      const timers = jest.getTimerCount();
      fail.open();
      await new Promise((resolve) => setImmediate(resolve));
      await jest.advanceTimersByTimeAsync(60_000);
      const ended = lines.filter(
        ({ err }) => (err as { code?: string } | undefined)?.code === 'SOURCE_ENDED',
      );
      expect(ended).toMatchObject([
        {
          level: 'error',
          controller: 'queue-fed',
          source: 'queue',
          err: { cause: { message: 'the connection broke' } },
        },
      ]);
      // No further attempt waits.
      expect(jest.getTimerCount()).toBe(timers);
    },
  );

  test('CT13 opens again with backoff after a later error, and other sources continue', async () => {
    useFakeTime({ setImmediate: true });
    const { manager } = managers.make();
    const opened: number[] = [];
    const begin = Date.now();
    const seen: string[] = [];
    const other = new Pushed();
    const failing = new Pushed();
    const listeners: number[] = [];
    async function* requests(signal: AbortSignal): AsyncGenerator<Request> {
      opened.push(Date.now() - begin);
      listeners.push(getEventListeners(signal, 'abort').length);
      for await (const request of failing) {
        if (request.name === 'fail') throw new Error('broken');
        yield request;
      }
    }
    manager.addController({
      name: 'queue-fed',
      sources: [
        { name: 'failing', requests },
        { name: 'other', requests: other },
      ],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    failing.push('one');
    await eventually(() => seen.length === 1);
    failing.push('fail');
    failing.push('fail');
    failing.push('two');
    await eventually(() => jest.getTimerCount() > 1);
    other.push('other');
    await eventually(() => seen.length === 2);
    await jest.advanceTimersByTimeAsync(800);
    await jest.advanceTimersByTimeAsync(1599);
    expect(opened).toEqual([0, 800]);
    await jest.advanceTimersByTimeAsync(1);
    await eventually(() => seen.length === 3);
    expect(opened).toEqual([0, 800, 2400]);
    expect(listeners).toEqual([0, 0, 0]);
    expect(seen).toEqual(['one', 'other', 'two']);
    const labels = { controller: 'queue-fed' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(2);
  });

  test('CT13 opens again after the first delay if it ran for long before the error', async () => {
    useFakeTime({ setImmediate: true });
    const { manager } = managers.make();
    const opened: number[] = [];
    const begin = Date.now();
    const failing = new Pushed();
    async function* requests(): AsyncGenerator<Request> {
      opened.push(Date.now() - begin);
      for await (const request of failing) {
        if (request.name === 'fail') throw new Error('broken');
        yield request;
      }
    }
    manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'failing', requests }],
      reconcile: () => undefined,
    });
    await running(manager);
    for (const [livedFor, delay] of [
      [1, 800],
      [1, 1600],
      [29_999, 3200],
      [30_000, 800],
    ] as const) {
      const count = opened.length;
      await jest.advanceTimersByTimeAsync(livedFor);
      failing.push('fail');
      await eventually(() => jest.getTimerCount() > 1);
      await jest.advanceTimersByTimeAsync(delay - 1);
      expect(opened).toHaveLength(count);
      await jest.advanceTimersByTimeAsync(1);
      expect(opened).toHaveLength(count + 1);
    }
  });

  test('an invalid request is counted, and the source continues', async () => {
    const { manager } = managers.make();
    const seen: string[] = [];
    let opened = 0;
    async function* requests(): AsyncGenerator<Request> {
      opened += 1;
      yield null as never;
      yield {} as never;
      yield { name: 'good' };
    }
    manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'sloppy', requests }],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    expect(opened).toBe(1);
    const labels = { controller: 'queue-fed' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(2);
  });

  test('the 1st, 10th, 100th and 1000th invalid request are logged with their number', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    async function* requests(): AsyncGenerator<Request> {
      for (let count = 0; count < 2_000; count += 1) yield null as never;
      yield { name: 'good' };
    }
    const seen: string[] = [];
    manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'broken', requests }],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    const failed = lines.filter(({ message }) => message === 'source failed');
    expect(failed.map(({ source, count }) => [source, count])).toEqual([
      ['broken', 1],
      ['broken', 10],
      ['broken', 100],
      ['broken', 1000],
    ]);
    const labels = { controller: 'queue-fed' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(2_000);
  });

  test('lets the event loop turn if it always has a value', async () => {
    const { manager } = managers.make();
    let yielded = 0;
    async function* requests(): AsyncGenerator<Request> {
      for (; yielded < 100; yielded += 1) {
        const until = performance.now() + 1;
        while (performance.now() < until);
        yield { name: 'same' };
      }
    }
    manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'eager', requests }],
      reconcile: () => undefined,
    });
    manager.start().catch(() => undefined);
    let turns = 0;
    await eventually(() => {
      if (yielded > 0) turns += 1;
      return yielded === 100;
    });
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  test('an iterator whose return never settles does not delay the stop of its controller', async () => {
    const { manager } = managers.make();
    const odd: AsyncIterable<Request> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return() {
          throw new Error('not now');
        },
      }),
    };
    const controller = manager.addController({
      name: 'queue-fed',
      sources: [{ name: 'odd', requests: odd }],
      reconcile: () => undefined,
    });
    await running(manager);
    await controller.stop();
    expect(manager.addController({ name: 'queue-fed', reconcile: () => undefined })).toBeDefined();
  });

  test('a stop of the controller aborts the signal of the source, and later values are dropped', async () => {
    const { manager } = managers.make();
    let given: AbortSignal | undefined;
    const late = new Pushed();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'queue-fed',
      sources: [
        {
          name: 'queue',
          requests(signal) {
            given = signal;
            return late;
          },
        },
      ],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    await controller.stop();
    expect(given?.aborted).toBe(true);
    late.push('late');
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
  });
});
