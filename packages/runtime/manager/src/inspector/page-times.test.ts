import { afterEach, expect, jest, test } from '@jest/globals';
import { builtin, type Clock } from '@keelson/apimachinery';
import type { WatchInventory } from '@keelson/informer';
import { FakeCache } from '../testing/fake-cache.test-support.ts';
import { objectOf } from '../testing/fixtures.test-support.ts';
import type { EventChannel } from './event-channel.ts';
import type { InspectedManager } from './inspected-manager.ts';
import { readSnapshot } from './snapshot-reader.ts';
import { openWatchFeed } from './watch-feed.ts';

const { ConfigMap } = builtin;
/** A clock of a test, years before that of the system. */
const clock: Pick<Clock, 'now'> = { now: () => Date.parse('2001-01-01T00:00:10.000Z') };
const query = { resource: ConfigMap, projection: 'full' };
const watch = {
  identity: 'v1/configmaps',
  query,
  handles: [],
  health: { state: 'live', reason: '' },
  lastEventAge: 4000,
} as unknown as WatchInventory;

let channel: EventChannel | undefined;

afterEach(() => {
  channel?.destroy();
  jest.useRealTimers();
});

test('the times of the overview are those of the clock of the manager', () => {
  const manager = {
    clock,
    hasActions: false,
    metrics: {
      process: () => ({ loopDelay: { quantiles: {} } }),
      watchTotals: () => [],
    },
    controllers: () => [],
    clusters: () => [{ name: undefined, cache: { inventory: () => [watch] } }],
  } as unknown as InspectedManager;
  const { process, watches } = readSnapshot(manager);
  expect(process.at).toBe(clock.now());
  expect(watches[0]?.lastEventAt).toBe(clock.now() - 4000);
});

test('the times of the events of a watch are those of the clock of the manager', () => {
  jest.useFakeTimers();
  const cache = new FakeCache();
  channel = openWatchFeed({ cluster: { name: undefined, cache }, watch }, clock, () => undefined);
  for (const handle of cache.handles) handle.sync();
  cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
  jest.advanceTimersByTime(1000);
  const frames = String(channel.read()).split('\n\n');
  expect(frames.find((frame) => frame.startsWith('data: '))).toContain(`"at":${clock.now()}`);
});
