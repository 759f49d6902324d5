import { describe, expect, jest, test } from '@jest/globals';
import { Harness, listing, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import {
  cutShort,
  failing,
  objectFrame,
  silence,
  statusError,
  thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

describe('reflector: the initial state', () => {
  test('RF28 WatchList without its annotated bookmark does not sync and does not change the store', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* (request) {
      yield { frames: [objectFrame('ADDED', thing('a'))], receivedAt: 0 };
      yield {
        frames: [objectFrame('BOOKMARK', thing('', { resourceVersion: '9' }))],
        receivedAt: 0,
      };
      yield* silence(request);
    });
    const handle = harness.acquire();
    await pass(0);
    expect(handle.hasSynced).toBe(false);
    expect(handle.store.size).toBe(0);
    expect(handle.health.state).toBe('syncing');
  });

  test('a complete state without a version does not sync', async () => {
    await using harness = new Harness();
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const end = objectFrame('BOOKMARK', thing('', { resourceVersion: '', annotations }));
    harness.source.watchScripts.push(async function* () {
      yield { frames: [end], receivedAt: 0 };
      throw statusError(500, 'InternalError');
    });
    harness.source.listScripts.push(async function* () {
      yield { frames: [], receivedAt: 0, listMetadata: { resourceVersion: '' } };
    });
    const handle = harness.acquire();
    await pass(0);
    expect(handle.hasSynced).toBe(false);
    expect(handle.health.lastError).toMatchObject({ code: 'LIST_WITHOUT_VERSION' });
  });

  test.each(['false', 'TRUE', ''])(
    'RF31 only "true" ends the initial events, not %j',
    async (value) => {
      await using harness = new Harness();
      harness.source.watchScripts.push(async function* (request) {
        const annotations = { 'k8s.io/initial-events-end': value };
        const bookmark = thing('', { resourceVersion: '9', annotations });
        yield { frames: [objectFrame('BOOKMARK', bookmark)], receivedAt: 0 };
        yield* silence(request);
      });
      const handle = harness.acquire();
      await pass(0);
      expect(handle.hasSynced).toBe(false);
    },
  );

  test('RF32 updates and deletes inside the initial stream are applied before the sync', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* (request) {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      yield {
        frames: [
          objectFrame('ADDED', thing('a', { resourceVersion: '1' })),
          objectFrame('ADDED', thing('b', { resourceVersion: '2' })),
          objectFrame('MODIFIED', thing('a', { resourceVersion: '3' })),
          objectFrame('DELETED', thing('b', { resourceVersion: '4' })),
          objectFrame('BOOKMARK', thing('', { resourceVersion: '4', annotations })),
          objectFrame('ADDED', thing('c', { resourceVersion: '5' })),
        ],
        receivedAt: 0,
      };
      yield* silence(request);
    });
    const handle = harness.acquire();
    const recorded = new RecordingHandler(handle);
    await handle.synced;
    await pass(0);
    expect(recorded.lines).toEqual(['initial a', 'added c']);
    expect(handle.store.view({ namespace: 'default', name: 'a' })?.resourceVersion).toBe('3');
    expect(handle.store.resourceVersion).toBe('5');
  });

  test('RF29 WatchList that the server rejects falls back to list and watch, and the rejection is remembered', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual([
      'watch',
      'list',
      'watch',
      'list',
      'watch',
    ]);
    harness.source.supportsWatchList = true;
    await pass(11 * 60_000);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true });
  });

  test('RF30 any other error of WatchList lists in the same cycle', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(() => failing(statusError(500, 'InternalError')));
    await harness.synced();
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual(['watch', 'list', 'watch']);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true });
  });

  test('RF33 WatchList with three 429 responses retries with backoff, without a list', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 3; n++) {
      harness.source.watchScripts.push(() => failing(statusError(429, 'TooManyRequests')));
    }
    const handle = harness.acquire();
    await pass(0);
    expect(handle.health.state).toBe('backing-off');
    await pass(800 + 1_600 + 3_200);
    await harness.caughtUp(handle);
    expect(harness.source.times).toEqual(
      [0, 800, 2_400, 5_600].map((at) => expect.closeTo(at + (harness.source.times[0] ?? 0), 0)),
    );
    expect(harness.source.count('list')).toBe(0);
  });

  test('RF35 410 on an established stream keeps the objects readable and starts a new cycle', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    harness.source.watchScripts.push(silence);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.observer.lines).toContain('listing expired');
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true, resourceVersion: '2' });
  });

  test('RF40 WatchList whose bookmark never arrives falls back to list within 10 s', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.watchScripts.push(silence);
    const handle = harness.acquire();
    await pass(9_999);
    expect(harness.source.count('list')).toBe(0);
    await pass(1);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.source.openRequests).toBe(1);
  });

  test('RF40 slow handlers of the initial state do not count as silence of the server', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = harness.acquire();
    const recorded = new RecordingHandler(handle, () => jest.advanceTimersByTime(11_000));
    await pass(0);
    expect(recorded.lines).toEqual(['initial a']);
    expect(harness.source.count('list')).toBe(0);
    expect(handle.health.state).toBe('live');
  });

  test('RF40 a busy WatchList without its bookmark falls back within two minutes', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* ({ signal }) {
      for (let n = 0; ; n++) {
        signal.throwIfAborted();
        yield { frames: [objectFrame('MODIFIED', thing('a'))], receivedAt: n };
        await new Promise((resolve) => setTimeout(resolve, 5_000));
      }
    });
    const handle = harness.acquire();
    await pass(130_000);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.count('list')).toBe(1);
  });

  test('RF40 a WatchList that is cut more than twice falls back to list', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 3; n++) harness.source.watchScripts.push(cutShort);
    const handle = harness.acquire();
    await pass(1_000);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual([
      'watch',
      'watch',
      'watch',
      'list',
      'watch',
    ]);
  });
});
