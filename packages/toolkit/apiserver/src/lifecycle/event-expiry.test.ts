import { builtin, systemClock } from '@keelson/apimachinery';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '../index.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const events = '/api/v1/namespaces/default/events';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

describe('the expiry of Events', () => {
  let now: number;
  let timers: Set<Timer>;
  let server: ApiServer;

  beforeEach(async () => {
    now = 0;
    timers = new Set();
    const startTimer = (milliseconds: number, fire: () => void): (() => void) => {
      const timer = { at: now + milliseconds, fire };
      timers.add(timer);
      return () => void timers.delete(timer);
    };
    const clock = { ...systemClock, monotonic: () => now, startTimer };
    server = await createApiServer({ clock, eventTtl: '10m' });
  });

  afterEach(async () => {
    await server.close();
  });

  function pass(milliseconds: number): void {
    now += milliseconds;
    for (const timer of timers) {
      if (timer.at > now) continue;
      timers.delete(timer);
      timer.fire();
    }
  }

  const nameOf = (name: string): { namespace: string; name: string } => ({
    namespace: 'default',
    name,
  });

  function seed(name: string): void {
    const metadata = nameOf(name);
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'a' };
    server.seed([{ apiVersion: 'v1', kind: 'Event', metadata, involvedObject } as never]);
  }

  const exists = (name: string): boolean =>
    server.object(builtin.Event, nameOf(name)) !== undefined;

  test('removes each some time after its last write, and sends its deletion', async () => {
    const client = new RawClient(server);
    await using watch = await client.watch(
      `${events}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    seed('first');
    pass(60_000);
    seed('second');
    pass(9 * 60_000 - 1);
    expect(exists('first')).toBe(true);
    pass(1);
    expect([exists('first'), exists('second')]).toEqual([false, true]);
    expect(await watch.titles(3)).toEqual(['ADDED first', 'ADDED second', 'DELETED first']);
    pass(60_000);
    expect(exists('second')).toBe(false);
  });

  test('begins again with each write, and ends with a deletion', async () => {
    const client = new RawClient(server);
    seed('written');
    seed('deleted');
    pass(5 * 60_000);
    await client.patch(`${events}/written`, 'merge', { count: 2 });
    await client.delete(`${events}/deleted`);
    pass(5 * 60_000);
    expect(exists('written')).toBe(true);
    pass(5 * 60_000);
    expect(exists('written')).toBe(false);
  });

  test('leaves no timer at the end of the server', async () => {
    seed('left');
    await server.close();
    expect(timers.size).toBe(0);
  });
});

test.each([
  [{ eventTtl: 0 }, 'eventTtl'],
  [{ eventTtl: 'soon' }, 'eventTtl'],
  [{ clock: {} }, 'clock'],
  [{ clock: null }, 'clock'],
])('the server refuses the options %p', async (options, option) => {
  await expect(createApiServer(options as never)).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    facts: { option: `createApiServer.${option}` },
  });
});
