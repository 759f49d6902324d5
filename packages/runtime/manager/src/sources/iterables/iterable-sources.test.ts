import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Request } from '../../reconcile/request.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  recordingLogger,
  running,
  valueOf,
} from '../../testing/fixtures.test-support.ts';

const managers = managersOfTest();

/** Yields `n0`, `n1`, … without an end, and records how far it was read. */
class Endless implements AsyncIterable<Request> {
  read = 0;
  returned = 0;

  [Symbol.asyncIterator](): AsyncIterator<Request> {
    return {
      next: async () => ({ done: false, value: { name: `n${this.read++}` } }),
      return: async () => {
        this.returned += 1;
        return { done: true, value: undefined };
      },
    };
  }
}

/** Lets an iterable be read as far as it may be. */
async function settle(source: Endless): Promise<void> {
  for (let before = -1; before !== source.read;) {
    before = source.read;
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  }
}

describe('a source that is added at run time', () => {
  test('opens at once and queues its requests under its name', async () => {
    const { manager } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'a',
      reconcile: ({ name }, { causes }) => void seen.push(`${name} ${causes[0]?.source}`),
    });
    await running(manager);
    const source = controller.addSource({
      name: 'queue',
      async *requests() {
        yield { name: 'x' };
      },
    });
    expect(source.name).toBe('queue');
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['x queue']);
  });

  test('opens with its phase if it is added before', async () => {
    const { manager } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'a', reconcile: () => end.opened });
    const requests = new Endless();
    controller.addSource({ name: 'queue', requests, maxPending: 3 });
    await settle(requests);
    expect(requests.read).toBe(0);
    await running(manager);
    await eventually(() => requests.read > 0);
    end.open();
  });

  test('is removed with its waiting requests, and leaves those of another source', async () => {
    const { manager } = managers.make();
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'a',
      async reconcile({ name }) {
        seen.push(name);
        if (name === 'block') await end.opened;
      },
    });
    await running(manager);
    controller.enqueue({ name: 'block' });
    await eventually(() => seen.length === 1);
    const requests = new Endless();
    const source = controller.addSource({ name: 'queue', requests, maxPending: 3 });
    await eventually(() => source.pending === 3);
    controller.enqueue({ name: 'n1' });
    await source.remove();
    expect(requests.returned).toBe(1);
    expect(controller.length).toBe(1);
    await source.remove();
    end.open();
    await eventually(() => controller.length === 0 && controller.running === 0);
    expect(seen).toEqual(['block', 'n1']);
    expect(requests.returned).toBe(1);
  });

  test('removal waits for the reconcile that the source caused, and not for one that removes it', async () => {
    const { manager } = managers.make();
    const [started, end] = [gate(), gate()];
    const controller = manager.addController({
      name: 'a',
      async reconcile() {
        started.open();
        await end.opened;
      },
    });
    await running(manager);
    const source = controller.addSource({ name: 'queue', requests: new Endless(), maxPending: 1 });
    await started.opened;
    let removed = false;
    const removal = source.remove().then(() => (removed = true));
    await setImmediate();
    expect(removed).toBe(false);
    end.open();
    await removal;
    const own = manager.addController({
      name: 'b',
      reconcile: async () => {
        await inner.remove();
        done.open();
      },
    });
    const done = gate();
    const inner = own.addSource({ name: 'queue', requests: new Endless() });
    await done.opened;
  });

  test('logs a failure in its first turn and opens again, and is refused after the stop', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    await running(manager);
    const requests = (): never => {
      throw new Error('no queue');
    };
    const source = controller.addSource({ name: 'queue', requests });
    await eventually(() => lines.some(({ message }) => message === 'source failed'));
    await source[Symbol.asyncDispose]();
    await controller.stop();
    expect(() => controller.addSource({ name: 'queue', requests })).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
  });
});

describe('back-pressure of a source', () => {
  test('the source is not read further while maxPending of its requests wait for a worker', async () => {
    const { manager } = managers.make();
    const gates = [gate(), gate(), gate()];
    const seen: string[] = [];
    const requests = new Endless();
    const controller = manager.addController({
      name: 'a',
      sources: [{ name: 'queue', requests, maxPending: 5 }],
      async reconcile({ name }) {
        seen.push(name);
        await gates[seen.length - 1]?.opened;
      },
    });
    await running(manager);
    await eventually(() => seen.length === 1);
    await settle(requests);
    // One runs and five wait.
    expect(requests.read).toBe(6);
    expect(controller.length).toBe(5);
    const labels = { controller: 'a', source: 'queue' };
    expect(await valueOf(manager, 'keelson_source_pending_requests', labels)).toBe(5);
    gates[0]?.open();
    await eventually(() => seen.length === 2);
    await settle(requests);
    expect(requests.read).toBe(7);
  });

  test('requests of other sources do not count, and a request that waits already counts once', async () => {
    const { manager } = managers.make();
    const end = gate();
    let read = 0;
    const controller = manager.addController({ name: 'a', reconcile: () => end.opened });
    for (let at = 0; at < 20; at += 1) controller.enqueue({ name: `other-${at}` });
    await running(manager);
    const source = controller.addSource({
      name: 'queue',
      maxPending: 2,
      async *requests() {
        for (;;) {
          read += 1;
          yield { name: read < 10 ? 'same' : `n${read}` };
        }
      },
    });
    await eventually(() => source.pending === 2);
    expect(read).toBe(10);
    await source.remove();
    end.open();
  });

  test.each<[string, (remove: () => void, requests: Endless) => AsyncIterable<Request>]>([
    [
      '`requests`',
      (remove, requests) => {
        remove();
        return requests;
      },
    ],
    [
      'its iterable',
      (remove, requests) => ({
        [Symbol.asyncIterator]() {
          remove();
          return requests[Symbol.asyncIterator]();
        },
      }),
    ],
  ])('a source that removes itself in %s is returned and never read', async (_, open) => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    const requests = new Endless();
    let removal: Promise<void> | undefined;
    // It opens with the phase, when it is known.
    const source = controller.addSource({
      name: 'queue',
      requests: () => open(() => (removal = source.remove()), requests),
    });
    await running(manager);
    await removal;
    expect([requests.read, requests.returned]).toEqual([0, 1]);
  });

  test('an async function `requests` is reported by its name, and its rejection is not left uncaught', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    await running(manager);
    const rejects = (): Promise<never> => Promise.reject(new Error('no'));
    const source = controller.addSource({ name: 'queue', requests: rejects as never });
    await eventually(() => lines.some(({ message }) => message === 'source failed'));
    const line = lines.find(({ message }) => message === 'source failed');
    expect(line).toMatchObject({ err: { code: 'INVALID_OPTION' }, source: 'queue' });
    await source.remove();
  });

  test.each(['asyncIterator', 'next', 'return'])(
    'a getter %s that gives a promise which rejects leaves no rejection uncaught',
    async (member) => {
      const { logger, lines } = recordingLogger();
      const { manager } = managers.make({ logger });
      const controller = manager.addController({ name: 'a', reconcile: nothing });
      await running(manager);
      const get = (): Promise<never> => Promise.reject(new Error('no'));
      const isIterator = member !== 'asyncIterator';
      const iterator = { next: () => new Promise(() => undefined) };
      const iterable = { [Symbol.asyncIterator]: () => iterator };
      const key = isIterator ? member : Symbol.asyncIterator;
      Object.defineProperty(isIterator ? iterator : iterable, key, { get });
      const requests = (): never => iterable as never;
      const source = controller.addSource({ name: 'queue', requests });
      const failed = { message: 'source failed', err: { code: 'INVALID_OPTION' } };
      if (member !== 'return') {
        await eventually(() => lines.some(({ message }) => message === failed.message));
        expect(lines).toContainEqual(expect.objectContaining({ message: failed.message }));
      }
      await source.remove();
      await setImmediate();
    },
  );

  test('a stop ends the wait for room', async () => {
    const { manager } = managers.make();
    const end = gate();
    const requests = new Endless();
    const controller = manager.addController({ name: 'a', reconcile: () => end.opened });
    await running(manager);
    controller.addSource({ name: 'queue', requests, maxPending: 1 });
    await eventually(() => controller.length === 1);
    const stopped = controller.stop();
    end.open();
    await stopped;
    expect(requests.returned).toBe(1);
  });
});
