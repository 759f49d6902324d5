import { describe, expect, test } from '@jest/globals';
import { Harness, listing, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import { failing, statusError } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const notFound = () => failing(statusError(404, 'NotFound'));

/**
 * A gateway in front of the server responds 404 to the next requests; `discovery` is the result of
 * `isServed`.
 */
async function gateway(
  harness: Harness,
  isServed: (signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  harness.source.isServed = isServed;
  for (let n = 0; n < 5; n++) {
    harness.source.watchScripts.push(notFound);
    harness.source.listScripts.push(notFound);
  }
  await pass(20_000);
  harness.source.cut();
  await pass(200);
}

describe('reflector: 404', () => {
  test.each<[string, () => Promise<boolean>]>([
    ['still names the kind', async () => Promise.resolve(true)],
    ['responds 404 too', async () => Promise.reject(statusError(404, 'NotFound'))],
    ['cannot be reached', async () => Promise.reject(new Error('reset'))],
  ])('deletes no object if discovery %s', async (_name, isServed) => {
    for (const make of [() => new Harness(), listing]) {
      await using harness = make();
      harness.source.set('a');
      const handle = await harness.synced();
      const recorded = new RecordingHandler(handle);
      await gateway(harness, isServed);
      expect(handle.health.state).toBe('backing-off');
      await pass(10 * 60_000);
      expect(harness.source.listScripts).toEqual([]);
      expect(recorded.lines).toEqual(['initial a']);
      expect(namesIn(handle)).toEqual(['a']);
      expect(handle.health.state).toBe('live');
    }
  });

  test('reports the error of a discovery that fails', async () => {
    await using harness = new Harness();
    await harness.synced();
    const reset = new Error('reset');
    await gateway(harness, async () => Promise.reject(reset));
    expect(harness.observer.errors).toContain(reset);
  });

  test('RC17 deletes every object and parks the watch if discovery confirms it', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const recorded = new RecordingHandler(handle);
    await gateway(harness, async () => Promise.resolve(false));
    expect(recorded.lines).toEqual(['initial a', 'gone a']);
    expect(handle.health.state).toBe('parked');
  });

  test('parks the watch before the first sync only if discovery confirms it', async () => {
    for (const [isServed, state] of [
      [true, 'backing-off'],
      [false, 'parked'],
    ] as const) {
      await using harness = new Harness();
      harness.source.isServed = async () => Promise.resolve(isServed);
      harness.source.watchScripts.push(notFound);
      harness.source.listScripts.push(notFound);
      const handle = harness.acquire();
      await pass(0);
      expect(handle.health.state).toBe(state);
      await pass(60_000);
      expect(handle.health.state).toBe('live');
    }
  });

  test('retries if discovery never responds', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    await gateway(harness, async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    await pass(60_000);
    expect(handle.health).toMatchObject({ state: 'backing-off' });
    expect(namesIn(handle)).toEqual(['a']);
  });
});
