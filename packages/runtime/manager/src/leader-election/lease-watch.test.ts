import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import { gate, nothing, recordingLogger } from '../testing/fixtures.test-support.ts';
import type { StoredLease } from './lease-lock.ts';
import { recordOf } from './lease-record.ts';
import { LeaseWatch } from './lease-watch.ts';

const stored: StoredLease = { lease: { metadata: {} }, record: recordOf({ metadata: {} }) };

/** A watch whose streams and retries the test controls. */
class Bench {
  readonly streams: Readable[] = [];
  readonly observed: (StoredLease | undefined)[] = [];
  readonly retries: (() => void)[] = [];
  readonly lines: Record<string, unknown>[];
  readonly watch: LeaseWatch;

  constructor() {
    const { logger, lines } = recordingLogger();
    this.lines = lines;
    this.watch = new LeaseWatch({
      changes: () => {
        const stream = new Readable({ objectMode: true, read: nothing });
        this.streams.push(stream);
        return stream;
      },
      observe: (state) => void this.observed.push(state),
      retry: () => new Promise((resolve) => this.retries.push(resolve)),
      log: logger,
    });
  }

  /** Delivers a state, and lets the watch continue. */
  async emit(): Promise<void> {
    this.streams.at(-1)?.push(stored);
    await turns();
  }
}

/** Lets streams and promises continue. */
async function turns(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('LeaseWatch', () => {
  test('a wait ends with the next state, and ends its pause', async () => {
    const bench = new Bench();
    const { watch, observed } = bench;
    const { signal } = new AbortController();
    let paused: AbortSignal | undefined;
    let isOver = false;
    const wait = watch.changeWithin((stop) => {
      paused = stop;
      return gate().opened;
    }, signal);
    void wait.then(() => (isOver = true));
    await turns();
    expect([isOver, watch.isOpen, paused?.aborted]).toEqual([false, false, false]);
    await bench.emit();
    expect([isOver, watch.isOpen, paused?.aborted]).toEqual([true, true, true]);
    expect(observed).toEqual([stored]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    watch.close();
  });

  test('a watch that is forbidden is a warning, once', async () => {
    const { watch, streams, retries, lines } = new Bench();
    for (let round = 0; round < 3; round += 1) {
      await turns();
      streams.at(-1)?.destroy(new StatusError({ code: 403, reason: 'Forbidden' }));
      await turns();
      retries.at(-1)?.();
    }
    await turns();
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'watch of the Lease is forbidden, so a takeover takes longer'],
      ['debug', 'watch of the Lease failed'],
      ['debug', 'watch of the Lease failed'],
    ]);
    watch.close();
  });

  test('a wait ends with its pause', async () => {
    const { watch } = new Bench();
    await watch.changeWithin(() => Promise.resolve(), new AbortController().signal);
    expect(watch.isOpen).toBe(false);
    watch.close();
  });

  test('the signal of a wait ends its pause with the same reason, also if it has aborted before', async () => {
    const { watch } = new Bench();
    const rejecting = (stop: AbortSignal): Promise<void> =>
      new Promise((_, reject) => {
        const fail = (): void => reject(stop.reason as Error);
        if (stop.aborted) fail();
        stop.addEventListener('abort', fail);
      });
    const stop = new AbortController();
    const wait = watch.changeWithin(rejecting, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(wait).rejects.toThrow('stopped');
    await expect(watch.changeWithin(rejecting, stop.signal)).rejects.toThrow('stopped');
    watch.close();
  });

  test('a watch that fails ends a wait, is logged, and opens again after the retry', async () => {
    const bench = new Bench();
    const { watch, streams, retries, lines } = bench;
    await bench.emit();
    const wait = watch.changeWithin(() => gate().opened, new AbortController().signal);
    streams[0]?.destroy(new Error('cut'));
    await wait;
    await turns();
    expect([watch.isOpen, streams.length, retries.length]).toEqual([false, 1, 1]);
    expect(lines).toMatchObject([{ level: 'debug', message: 'watch of the Lease failed' }]);
    retries[0]?.();
    await turns();
    expect([watch.isOpen, streams.length]).toEqual([false, 2]);
    await bench.emit();
    expect(watch.isOpen).toBe(true);
    watch.close();
  });

  test('a closed watch observes no state, logs no failure, and does not open again', async () => {
    const bench = new Bench();
    const { watch, streams, retries, lines, observed } = bench;
    await bench.emit();
    watch.close();
    expect(watch.isOpen).toBe(false);
    await bench.emit();
    retries[0]?.();
    await turns();
    expect([observed.length, streams.length, watch.isOpen, lines]).toEqual([1, 1, false, []]);
  });

  test('a watch that fails because it was closed is not logged', async () => {
    const { watch, streams, lines } = new Bench();
    watch.close();
    streams[0]?.destroy(new Error('closed'));
    await turns();
    expect([streams.length, lines]).toEqual([1, []]);
  });
});
