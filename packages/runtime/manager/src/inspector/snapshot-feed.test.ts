import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '@keelson/apimachinery';
import type { SnapshotMessage } from '@keelson/inspector';
import type { WatchTotals } from '../metrics/watch-metrics.ts';
import type { EventChannel } from './event-channel.ts';
import type { InspectedManager } from './inspected-manager.ts';
import { SnapshotFeed } from './snapshot-feed.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function totals(resource: string, events: number): WatchTotals {
  return { resource, events, lists: {}, restarts: {} };
}

/** A manager with kinds of watches only, which counts its reads. */
class KindsOnly implements InspectedManager {
  kinds: readonly WatchTotals[] = [totals('v1/pods', 1), totals('v1/secrets', 1)];
  reads = 0;
  readonly clock = systemClock;
  readonly hasActions = false;
  readonly metrics = {
    process: () => ({
      loopDelay: { quantiles: {}, sum: 0, count: 0 },
      election: undefined,
      sharding: undefined,
    }),
    totalsOf: () => undefined,
    watchTotals: () => {
      this.reads += 1;
      return [[undefined, this.kinds] as const];
    },
  };
  readonly controllers = () => [];
  readonly clusters = () => [];
}

/** Reads what a channel has sent, as a client that reads. */
function received(channel: EventChannel): SnapshotMessage[] {
  const frames = String(channel.read() ?? '').split('\n\n');
  return frames.filter((frame) => frame !== '').map((frame) => JSON.parse(frame.slice(6)));
}

const idsOf = (message: SnapshotMessage | undefined): string[] | undefined =>
  message?.kinds.set.map(({ id }) => id);

describe('the stream of the overview', () => {
  test('sends every row first, then once a second those that changed', () => {
    const manager = new KindsOnly();
    const channel = new SnapshotFeed(manager).open();
    expect(received(channel).map(idsOf)).toEqual([['v1/pods', 'v1/secrets']]);
    manager.kinds = [totals('v1/pods', 2)];
    jest.advanceTimersByTime(999);
    expect(received(channel)).toEqual([]);
    jest.advanceTimersByTime(1);
    const [message] = received(channel);
    expect(idsOf(message)).toEqual(['v1/pods']);
    expect(message?.kinds.removed).toEqual(['v1/secrets']);
    channel.destroy();
  });

  test('reads the manager once for all readers, and not at all without any', () => {
    const manager = new KindsOnly();
    const feed = new SnapshotFeed(manager);
    const channels = [feed.open(), feed.open(), feed.open()];
    for (const channel of channels) received(channel);
    const before = manager.reads;
    jest.advanceTimersByTime(1000);
    expect(manager.reads).toBe(before + 1);
    for (const channel of channels) channel.destroy();
    jest.advanceTimersByTime(10_000);
    expect(manager.reads).toBe(before + 1);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('skips a slow reader, which later receives the changes in one message', () => {
    const manager = new KindsOnly();
    manager.kinds = Array.from({ length: 2000 }, (_, index) => totals(`v1/kind${index}`, 1));
    const channel = new SnapshotFeed(manager).open();
    const before = channel.readableLength;
    for (let turn = 2; turn < 10; turn += 1) {
      manager.kinds = [totals('v1/pods', turn)];
      jest.advanceTimersByTime(1000);
    }
    expect(channel.readableLength).toBe(before);
    expect(received(channel)).toHaveLength(1);
    jest.advanceTimersByTime(1000);
    const [message] = received(channel);
    expect(message?.kinds.set).toEqual([expect.objectContaining({ id: 'v1/pods', events: 9 })]);
    expect(message?.kinds.removed).toHaveLength(2000);
    channel.destroy();
  });

  test('ends at the stop', async () => {
    const feed = new SnapshotFeed(new KindsOnly());
    const channel = feed.open();
    feed.stop();
    const chunks = await channel.toArray();
    expect(chunks).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
