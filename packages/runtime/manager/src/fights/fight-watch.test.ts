import { describe, expect, jest, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { recordingLogger, useFakeTime } from '../testing/fixtures.test-support.ts';
import { eventRateOf, type EventRate } from './event-rate.ts';
import { FightWatch } from './fight-watch.ts';

const rate = eventRateOf({}, 'test') as EventRate;
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

/** An object whose only field one of these managers owns. */
function ownedBy(manager: string): KubernetesObject {
  const time = new Date().toISOString();
  const fieldsV1 = { 'f:data': { 'f:color': {} } };
  return { metadata: { managedFields: [{ manager, operation: 'Update', time, fieldsV1 }] } };
}

function world() {
  useFakeTime();
  jest.advanceTimersByTime(1); // The cache takes the time 0 for none.
  const { logger, lines } = recordingLogger();
  const fights: (readonly string[])[] = [];
  const counts = { delayed: 0, readings: 0, states: 0, ended: 0 };
  const watch = new FightWatch({
    log: logger,
    observer: {
      eventDelayed: () => void (counts.delayed += 1),
      fieldManagersFight: (managers) => void fights.push(managers),
    },
    clientOf: () => {
      throw new Error('unused');
    },
  });
  const abort = new AbortController();
  let given: readonly (KubernetesObject | Error)[] = [];
  /** Yields the given states, and then waits for the abort. */
  async function* states(signal: AbortSignal): AsyncGenerator<KubernetesObject> {
    counts.readings += 1;
    try {
      for (const state of given) {
        if (state instanceof Error) throw state;
        counts.states += 1;
        yield state;
      }
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    } finally {
      counts.ended += 1;
    }
  }
  /** Delays an event of an object. */
  const delay = async (name = 'one'): Promise<void> => {
    const { signal } = abort;
    watch.objectDelayed({
      source: 'for WebApp',
      request: name,
      object: name,
      rate,
      states,
      signal,
    });
    await settle();
  };
  const respond = (...next: typeof given): void => void (given = next);
  const warnings = (): Record<string, unknown>[] => lines.filter(({ level }) => level === 'warn');
  return { watch, delay, respond, warnings, lines, fights, counts, abort };
}

const [web, hpa] = [ownedBy('web'), ownedBy('hpa')];

describe('the reports of delayed objects', () => {
  test('two managers that take a field from each other are named once, in the log and in the metric', async () => {
    const { delay, respond, warnings, fights, counts } = world();
    respond(web, web, hpa, web);
    for (let events = 0; events < 20; events += 1) await delay();
    expect(fights).toEqual([['hpa', 'web']]);
    expect(warnings()).toMatchObject([
      {
        message: 'field managers overwrite each other',
        source: 'for WebApp',
        request: 'one',
        object: 'one',
        burst: 100,
        perSecond: 1,
        fieldManagers: ['hpa', 'web'],
        fields: ['data.color'],
      },
    ]);
    expect(counts).toEqual({ delayed: 20, readings: 1, states: 3, ended: 1 });
  });

  test('without a contest the latest managers are named after ten states', async () => {
    const { delay, respond, warnings, fights, counts } = world();
    respond(...Array.from({ length: 20 }, () => web));
    await delay();
    expect(counts).toMatchObject({ states: 10, ended: 1 });
    expect(fights).toEqual([]);
    expect(warnings()).toMatchObject([
      { message: 'object changes too often', fieldManagers: ['web'] },
    ]);
  });

  test('without further states the latest managers are named after ten seconds', async () => {
    const { delay, respond, warnings, counts } = world();
    respond({}, web);
    await delay();
    await jest.advanceTimersByTimeAsync(9999);
    expect(warnings()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(warnings()).toMatchObject([{ fieldManagers: ['web'] }]);
    expect(counts.ended).toBe(1);
  });

  test('a refused request ends the reading, and the warning names no manager', async () => {
    const { delay, respond, warnings, lines, counts } = world();
    respond(new Error('refused'));
    for (let events = 0; events < 10; events += 1) await delay();
    expect(counts.readings).toBe(1);
    expect(warnings()).toMatchObject([{ message: 'object changes too often', fieldManagers: [] }]);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'debug', message: 'managed fields not readable' }),
    );
  });

  test('an object is reported again after ten minutes', async () => {
    const { delay, respond, warnings, counts } = world();
    respond(web, hpa);
    await delay();
    await jest.advanceTimersByTimeAsync(599_000);
    await delay();
    expect([counts.readings, warnings().length]).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(2000);
    await delay();
    expect([counts.readings, warnings().length]).toEqual([2, 2]);
  });

  test('at most ten reports begin in a minute', async () => {
    const { delay, respond, warnings, counts } = world();
    respond(web, hpa);
    const flood = async (): Promise<void> => {
      for (let index = 0; index < 100; index += 1) await delay(`o${index}`);
    };
    await flood();
    expect([counts.readings, warnings().length, counts.delayed]).toEqual([10, 10, 100]);
    await jest.advanceTimersByTimeAsync(60_000);
    await flood();
    expect([counts.readings, warnings().length]).toEqual([20, 20]);
  });

  test('values of a source without objects are reported without a request', async () => {
    const { watch, warnings, counts } = world();
    for (let values = 0; values < 20; values += 1) {
      watch.requestDelayed({ source: 'hooks', request: 'one', rate });
    }
    expect(counts).toMatchObject({ delayed: 20, readings: 0 });
    expect(warnings()).toMatchObject([
      { message: 'source yields a request too often', source: 'hooks', request: 'one' },
    ]);
  });

  test('the removal of the source ends the reading without a report', async () => {
    const { delay, respond, lines, counts, abort } = world();
    respond(web);
    await delay();
    abort.abort(new Error('removed'));
    await settle();
    expect(counts.ended).toBe(1);
    expect(lines).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a report leaves no timer', async () => {
    const { delay, respond } = world();
    respond(web, hpa);
    await delay();
    expect(jest.getTimerCount()).toBe(0);
  });
});
