import { describe, expect, test } from '@jest/globals';
import { DoubtfulServer, type Manners } from '../testing/doubtful-server.test-support.ts';
import { Harness, namesIn } from '../testing/harness.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { Thing } from '../testing/scripted-source.test-support.ts';

stopTheClock();

interface World extends AsyncDisposable {
  readonly server: DoubtfulServer;
  readonly harness: Harness;
  readonly handle: WatchHandle<Thing>;
}

/** A synced watch of a server, which has since forgotten its former requests and changed its manners. */
async function following(before: Partial<Manners>, after: Partial<Manners>): Promise<World> {
  const server = new DoubtfulServer(before);
  const harness = new Harness({ listerWatcher: () => server, linger: 0 });
  const handle = harness.acquire();
  await pass(20_000);
  server.manners = { ...server.manners, ...after };
  server.requests.length = 0;
  return { server, harness, handle, [Symbol.asyncDispose]: async () => harness.cache.close() };
}

describe('the progress of a reflector', () => {
  test('a list that has the expired version again is followed by a list of the newest version', async () => {
    await using world = await following({}, { listAtVersion: 'exact' });
    const { server, handle } = world;
    server.manners = { ...server.manners, watch: 'expired' };
    server.change('b');
    // The open watch has sent `b`; the server expires the version and every later watch.
    server.restart();
    await pass(0);
    expect(server.requests).toEqual(['watch 2', 'list 2', 'list  limit 500', 'watch 2']);
    server.manners = { ...server.manners, watch: 'right' };
    await pass(8_000);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(handle.health.state).toBe('live');
  });

  test('a WatchList that has the expired version again is followed by one of the newest version', async () => {
    await using world = await following({ watchList: 'right', watch: 'expired' }, {});
    const { server } = world;
    server.restart();
    await pass(0);
    server.restart();
    await pass(1_000);
    expect(server.requests.filter((request) => request.startsWith('watch-list'))).toEqual([
      'watch-list 1',
      'watch-list ',
    ]);
  });

  test('three watches whose response a proxy holds are followed by a comparison and a list', async () => {
    await using world = await following({}, { watch: 'held' });
    const { server, handle, harness } = world;
    server.restart();
    server.change('b');
    await pass(3 * 30_000 + 800 + 1_600 + 3_200);
    expect(server.requests).toEqual([
      'watch 1',
      'watch 1',
      'watch 1',
      'list  limit 1',
      'list  limit 500',
      'watch 2',
    ]);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(harness.observer.of('listing').at(-1)).toBe('listing no-progress');
    server.change('c');
    // From now on each watch without a response is followed by a comparison.
    await pass(30_000 + 6_400);
    expect(namesIn(handle)).toEqual(['a', 'b', 'c']);
  });

  test.each(['held', 'reset', 'unavailable', 'throttled'] as const)(
    'watches without a response (%s) cause no list while the server has no newer version',
    async (watch) => {
      await using world = await following({}, { watch });
      world.server.restart();
      await pass(10 * 60_000);
      expect(world.server.requests).toContain('list  limit 1');
      expect(world.harness.observer.of('listing')).not.toContain('listing no-progress');
    },
  );

  test.each(['reset', 'unavailable', 'throttled'] as const)(
    'a watch that the server refuses (%s) is tried once more after a comparison, then replaced by lists',
    async (watch) => {
      await using world = await following({}, { watch });
      const { server, handle } = world;
      server.restart();
      server.change('b');
      await pass(800 + 1_600 + 3_200 + 6_400);
      expect(server.requests.slice(3)).toEqual([
        'list  limit 1',
        'watch 1',
        'list  limit 1',
        'list  limit 500',
        'watch 2',
      ]);
      expect(namesIn(handle)).toEqual(['a', 'b']);
    },
  );

  test('a watch that the server forbids is followed by comparisons, and by lists of newer versions, ever more slowly', async () => {
    await using world = await following({}, { watch: 'forbidden' });
    const { server, handle } = world;
    const verbs = new Set<unknown>();
    handle.onHealthChange(({ state, verb }) => state === 'forbidden' && verbs.add(verb));
    server.restart();
    server.change('b');
    await pass(60_000);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(handle.health).toMatchObject({
      state: 'forbidden',
      verb: 'watch',
      reason: 'the server does not allow to watch example.com/v1/things',
    });
    await pass(10 * 60_000);
    server.requests.length = 0;
    server.change('c');
    await pass(2 * 60_000);
    expect(namesIn(handle)).toEqual(['a', 'b', 'c']);
    expect([...verbs]).toEqual(['watch']);
    expect(server.requests.length).toBeLessThan(8);
  });

  test.each(['throttled', 'forbidden'] as const)(
    'lists from the watch cache that are %s are followed by one of the newest version',
    async (listAtZero) => {
      const server = new DoubtfulServer({ listAtZero });
      await using harness = new Harness({ listerWatcher: () => server, linger: 0 });
      const handle = harness.acquire();
      await pass(60_000);
      expect(namesIn(handle)).toEqual(['a']);
    },
  );

  test('a server that was down opens a watch after the comparison, without a list', async () => {
    await using world = await following({}, { watch: 'reset' });
    const { server, handle, harness } = world;
    server.change('b');
    server.cut();
    await pass(800 + 1_600);
    server.change('c');
    server.manners = { ...server.manners, watch: 'right' };
    await pass(3_200);
    expect(namesIn(handle)).toEqual(['a', 'b', 'c']);
    expect(harness.observer.of('listing')).not.toContain('listing no-progress');
  });

  test('an outage of lists and watches costs no more requests than one of watches', async () => {
    await using world = await following({}, { watch: 'reset', newest: 'down' });
    world.server.restart();
    await pass(60_000);
    expect(world.server.requests.length).toBeLessThan(10);
  });

  test('two silent watches that the watchdog ended are followed by a comparison and a list', async () => {
    await using world = await following({}, { watch: 'buffered' });
    const { server, handle } = world;
    server.restart();
    server.change('b');
    await pass(2 * 610_000 + 1_000);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(server.requests).toContain('list  limit 500');
  });

  test('ten watches that open and bring no newer version are followed by a comparison and a list', async () => {
    await using world = await following({}, { watch: 'cut' });
    const { server, handle } = world;
    server.restart();
    server.change('b');
    // The first of the ten is the watch that the restart cut.
    await pass(10 * (2_000 + 8_000));
    expect(server.requests.indexOf('list  limit 1')).toBe(9);
    expect(namesIn(handle)).toEqual(['a', 'b']);
  });

  test('a list older than the requested version is not taken', async () => {
    await using world = await following({}, { watch: 'faulty', listAtVersion: 'stale' });
    const { server, handle, harness } = world;
    for (const name of ['b', 'c', 'd', 'e']) server.change(name);
    server.restart();
    await pass(50);
    expect(server.requests).toEqual(['watch 5', 'list 5', 'list  limit 500', 'watch 5']);
    expect(namesIn(handle)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(harness.observer.of('listing').at(-1)).toBe('listing too-large');
  });

  test('after three failed lists the next ones begin at the newest version, and after three more not', async () => {
    await using world = await following({}, { listAtVersion: 'fails', newest: 'down' });
    const { server } = world;
    void world.handle.restart().catch(() => undefined);
    await pass(2 * 60_000);
    expect(server.requests.slice(0, 8)).toEqual([
      ...Array.from({ length: 3 }, () => 'list 1'),
      ...Array.from({ length: 3 }, () => 'list  limit 500'),
      'list 1',
      'list 1',
    ]);
  });

  test('the fourth WatchList without a response is followed by a list', async () => {
    await using world = await following({ watchList: 'throttled', watch: 'right' }, {});
    expect(namesIn(world.handle)).toEqual(['a']);
    expect(world.harness.observer.of('listing')).toHaveLength(5);
  });
});
