import { describe, expect, test } from '@jest/globals';
import { isGone } from '@keelson/apimachinery';
import { Harness, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import {
  failing,
  objectFrame,
  statusError,
  thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const c = { namespace: 'default', name: 'c' };

/** A cache that has received some changes, and a handler that records the later ones. */
async function following(harness: Harness) {
  for (const name of ['a', 'b', 'c']) harness.source.set(name);
  const handle = await harness.synced();
  harness.source.remove('b');
  harness.source.set('a', { spec: { value: 2 } });
  await harness.caughtUp(handle);
  const recorded = new RecordingHandler(handle);
  await recorded.registration.synced;
  recorded.events.length = 0;
  return { handle, recorded };
}

/** Sends every open watch earlier events again: the old `a`, and `b`, which was deleted. */
function replay(harness: Harness): void {
  for (const watch of harness.source.openWatches) {
    watch.push([
      objectFrame('MODIFIED', thing('a', { resourceVersion: '2' })),
      objectFrame('ADDED', thing('b', { resourceVersion: '3' })),
      objectFrame('DELETED', thing('b', { resourceVersion: '5' })),
    ]);
  }
}

describe('reflector: a server that was restored or replaced', () => {
  test('repeated events reach no handler, and the watch resumes at the last version', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    const reached = harness.source.version;
    replay(harness);
    await pass(50);
    expect(recorded.lines).toEqual([]);
    expect(namesIn(handle)).toEqual(['a', 'c']);
    expect(handle.store.resourceVersion).toBe(reached);
    expect(harness.observer.errors).toEqual([
      expect.objectContaining({ code: 'WATCH_WENT_BACK', facts: { version: '2', reached } }),
    ]);
    expect(harness.lastRequest).toMatchObject({ verb: 'watch', resourceVersion: reached });
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    harness.source.set('d');
    await pass(0);
    expect(recorded.lines).toEqual(['added d']);
  });

  test('a bookmark of an older version does not move the version back', async () => {
    await using harness = new Harness();
    const { handle } = await following(harness);
    const reached = harness.source.version;
    harness.source.bookmark({ resourceVersion: '2' });
    await pass(50);
    expect(handle.store.resourceVersion).toBe(reached);
    expect(harness.lastRequest).toMatchObject({ verb: 'watch', resourceVersion: reached });
  });

  test('an empty version is ignored, and the watch resumes at the last version', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    const reached = harness.source.version;
    harness.source.bookmark({ resourceVersion: '' });
    const [watch] = harness.source.openWatches;
    watch?.push([objectFrame('ADDED', thing('d', { resourceVersion: '' }))]);
    await pass(0);
    expect(recorded.lines).toEqual(['added d']);
    expect(handle.store.resourceVersion).toBe(reached);
    harness.source.cut();
    await pass(50);
    expect(harness.lastRequest).toMatchObject({ verb: 'watch', resourceVersion: reached });
  });

  test('versions that go back three times cause one relist and are opaque afterwards', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    for (let time = 0; time < 3; time++) {
      replay(harness);
      await pass(200);
    }
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing error']);
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true, resourceVersion: '' });
    expect(recorded.lines).toEqual([]);
    const [watch] = harness.source.openWatches;
    watch?.push([objectFrame('ADDED', thing('e', { resourceVersion: '1' }))]);
    await pass(0);
    expect(recorded.lines).toEqual(['added e']);
    expect(handle.health.state).toBe('live');
  });

  test('versions that go back are counted from zero after a stable watch', async () => {
    await using harness = new Harness();
    await following(harness);
    for (let time = 0; time < 4; time++) {
      replay(harness);
      await pass(200);
      if (time !== 1) continue;
      await pass(20_000);
      harness.source.cut();
      await pass(200);
    }
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
  });

  test('RF41 a server whose versions have no order is not checked for its version', async () => {
    await using harness = new Harness();
    await following(harness);
    for (let time = 0; time < 3; time++) {
      replay(harness);
      await pass(200);
    }
    await pass(20_000);
    harness.source.cut(new Error('reset'));
    for (let time = 0; time < 3; time++) {
      await pass(500_000);
      harness.source.cut();
    }
    await pass(0);
    expect(harness.source.count('list')).toBe(0);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing error']);
  });

  test('RF41 a silent stream after a broken one checks the version, and relists from a server that is behind', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    harness.source.replace(new Error('reset'));
    await pass(50);
    harness.source.set('a');
    await pass(94_999);
    expect(recorded.lines).toEqual([]);
    await pass(1);
    expect(harness.source.requests.slice(-2)).toEqual([
      { verb: 'list', resourceVersion: '', limit: 1 },
      expect.objectContaining({ sendInitialEvents: true, resourceVersion: '' }),
    ]);
    expect(recorded.lines).toEqual(['gone c', 'gone a', 'added a']);
    expect(handle.store.resourceVersion).toBe('2');
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing too-large']);
  });

  test('an object of a restored server with the same version as before is emitted as updated', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    const { uid = '', resourceVersion } = handle.store.view(c)?.metadata ?? {};
    harness.source.replace(new Error('reset'));
    for (const name of ['x', 'y']) harness.source.set(name);
    harness.source.set('c', { metadata: { uid }, spec: { value: 3 } });
    expect(harness.source.version).toBe(resourceVersion);
    await pass(95_050);
    expect(recorded.lines).toEqual(['gone a', 'added x', 'added y', 'updated c']);
    expect(handle.store.get(c)?.spec).toEqual({ value: 3 });
    harness.source.fail(410, 'Expired');
    await pass(50);
    expect(recorded.lines).toHaveLength(4);
  });

  test('RF41 a stream with events after a broken one checks no version, however long it lived', async () => {
    await using harness = new Harness();
    const { recorded } = await following(harness);
    harness.source.cut(new Error('reset'));
    await pass(500);
    harness.source.set('d');
    await pass(30_000);
    harness.source.cut();
    await pass(500);
    expect(recorded.lines).toEqual(['added d']);
    expect(harness.source.count('list')).toBe(0);
  });

  test('RF41 a server that was replaced at the normal end of a watch is noticed after two silent streams', async () => {
    await using harness = new Harness();
    const { recorded } = await following(harness);
    await pass(20_000);
    harness.source.replace();
    harness.source.set('x');
    await pass(600_000);
    expect(recorded.lines.toSorted()).toEqual(['added x', 'gone a', 'gone c']);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing too-large']);
  });

  test('RF41 a server that is not behind receives a request for one object after every second silent stream', async () => {
    await using harness = new Harness();
    const { handle } = await following(harness);
    harness.source.cut(new Error('reset'));
    for (let time = 0; time < 3; time++) {
      await pass(500_000);
      harness.source.cut();
    }
    await pass(0);
    // Neither the watch that broke nor the open one is silent.
    const silent = harness.source.count('watch') - 2;
    expect(silent).toBeGreaterThan(3);
    expect(harness.source.count('list')).toBe(Math.ceil(silent / 2));
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(handle.health.state).toBe('live');
  });

  test('RF41 a server that lists an older version instead of an error causes a relist', async () => {
    await using harness = new Harness();
    const { recorded } = await following(harness);
    harness.source.replace(new Error('reset'));
    harness.source.listScripts.push(() =>
      (async function* list() {
        yield { frames: [], receivedAt: 0, listMetadata: { resourceVersion: '2' } };
      })(),
    );
    await pass(95_050);
    expect(recorded.lines.toSorted()).toEqual(['gone a', 'gone c']);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing too-large']);
  });

  test('RF41 a failed check of the version is repeated', async () => {
    await using harness = new Harness();
    const { recorded } = await following(harness);
    harness.source.replace(new Error('reset'));
    harness.source.listScripts.push(() => failing(statusError(500, 'InternalError')));
    await pass(95_050);
    expect(harness.source.count('list')).toBe(1);
    await pass(185_000);
    expect(harness.source.count('list')).toBe(2);
    expect(recorded.lines.toSorted()).toEqual(['gone a', 'gone c']);
  });

  test('RF41 a server that has expired the version counts as not behind', async () => {
    await using harness = new Harness();
    const { handle } = await following(harness);
    harness.source.listScripts.push(() => failing(statusError(410, 'Expired')));
    harness.source.cut(new Error('reset'));
    await pass(95_050);
    expect(harness.source.count('list')).toBe(1);
    await pass(50);
    expect(harness.observer.errors.filter(isGone)).toEqual([]);
    expect(handle.health.state).toBe('live');
  });

  test('RF41 a quiet kind gets more time with each stream that the watchdog aborts', async () => {
    await using harness = new Harness();
    await harness.synced();
    for (let n = 0; n < 4; n++) {
      await pass(60_000);
      harness.source.bookmark();
    }
    harness.source.set('a');
    await pass(95_000);
    const times = [];
    for (let n = 0; n < 4; n++) {
      expect(harness.source.openWatches.size).toBe(1);
      const before = harness.source.count('watch');
      let waited = 0;
      for (; harness.source.count('watch') === before; waited += 5_000) await pass(5_000);
      times.push(waited);
    }
    expect(times).toEqual([95_000, 185_000, 365_000, 610_000]);
  });

  test('RF22 a version that the server rejects as invalid is dropped', async () => {
    await using harness = new Harness();
    const { handle, recorded } = await following(harness);
    const refusal = () => failing(statusError(400, 'BadRequest'));
    harness.source.watchScripts.push(refusal, refusal);
    harness.source.listScripts.push(refusal);
    await pass(20_000);
    harness.source.cut();
    await pass(800);
    expect(harness.source.requests.slice(-3)).toMatchObject([
      { verb: 'list', resourceVersion: '6' },
      { verb: 'list', resourceVersion: '' },
      { verb: 'watch', resourceVersion: '6' },
    ]);
    expect(recorded.lines).toEqual([]);
    expect(handle.health.state).toBe('live');
  });
});
