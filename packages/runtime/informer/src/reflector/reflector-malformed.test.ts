import { describe, expect, test } from '@jest/globals';
import type { Frame, WatchEventType } from '@keelson/wire';
import { Harness, listing, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import { bytesFrame } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

/** Encodes objects as bytes; the next frames about `name` lack their end. */
function tearing(harness: Harness, name: string, times: number): void {
  let left = times;
  harness.source.toFrame = (type: WatchEventType, object: unknown): Frame => {
    const frame = bytesFrame(type, object);
    const isAbout = JSON.stringify(object).includes(`"${name}"`);
    return isAbout && left-- > 0 ? { ...frame, to: frame.to - 10 } : frame;
  };
}

describe('reflector: malformed objects', () => {
  test('RF42 an event with a torn object is requested again, and no event is lost', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    tearing(harness, 'a', 1);
    harness.source.set('a');
    harness.source.set('b');
    await pass(50);
    expect(recorded.lines).toEqual(['added a', 'added b']);
    expect(harness.observer.errors).toEqual([
      expect.objectContaining({ code: 'OBJECT_MALFORMED' }),
    ]);
    expect(harness.lastRequest).toMatchObject({ verb: 'watch', resourceVersion: '1' });
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(harness.observer.of('skipped')).toEqual([]);
  });

  test('an object that stays malformed is skipped at the third time, and later events are delivered', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    tearing(harness, 'a', Infinity);
    harness.source.set('a');
    harness.source.set('b');
    await pass(1_000);
    expect(recorded.lines).toEqual(['added b']);
    expect(harness.observer.of('skipped')).toEqual(['skipped malformed']);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(handle.health.state).toBe('live');
  });

  test('RF42 a torn bookmark causes no list', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    tearing(harness, 'mark', 1);
    harness.source.bookmark({ name: 'mark' });
    await pass(50);
    expect(harness.source.count('watch')).toBe(2);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(harness.observer.of('loop')).toEqual([]);
    expect(handle.health.state).toBe('live');
  });

  test('a list with a torn item is read again, and its objects are not deleted', async () => {
    await using harness = listing();
    harness.source.set('a');
    harness.source.set('b');
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    tearing(harness, 'a', 1);
    harness.source.fail(410, 'Expired');
    await pass(1_000);
    expect(recorded.lines).toEqual(['initial a', 'initial b']);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(harness.observer.of('skipped')).toEqual([]);
  });
});
