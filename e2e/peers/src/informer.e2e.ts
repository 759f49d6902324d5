import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Fault, Faults } from '@keelson/apiserver';
import { faultsOf, listsIn, type History } from './history.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';
import {
  informerKinds,
  WatchedNamespace,
  type Seen,
  type WatchedOptions,
} from './watched-namespace.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers } = servers;

interface Scenario extends Omit<WatchedOptions, 'name' | 'kinds'> {
  /** The fault between two quiet periods. */
  readonly cause?: (watched: WatchedNamespace) => Promise<void>;
}

interface Run {
  readonly seen: Readonly<Record<string, Seen>>;
  readonly truth: History;
}

/** Returns the events that informers emitted during a fault, after each has the state of the server. */
async function runOn(server: ServerUnderTest, name: string, scenario: Scenario): Promise<Run> {
  const options = { ...scenario, name, kinds: informerKinds };
  await using watched = await WatchedNamespace.create(servers, server, options);
  const { namespace } = watched;
  if (!scenario.slow) {
    await watched.synced();
    await namespace.churn();
    await watched.caughtUp();
  }
  await scenario.cause?.(watched);
  await namespace.churn();
  await watched.caughtUp();
  const versions = await namespace.versions({
    labelSelector: scenario.choice?.labels,
    fieldSelector: scenario.choice?.fields,
  });
  expect(await watched.states()).toEqual(informerKinds.map(() => versions));
  return { seen: await watched.end(), truth: namespace.truth };
}

/** Runs the same scenario on both servers. */
async function onBoth(scenario: Scenario): Promise<{ readonly here: Run; readonly there: Run }> {
  const name = servers.name();
  return servers.onBoth((server) => runOn(server, name, scenario));
}

function eventsOf(run: Run): History[] {
  return Object.values(run.seen).map(({ events }) => events);
}

function expectNoFaults(run: Run): void {
  const faults = Object.entries(run.seen).map(([kind, { events }]) => [
    kind,
    faultsOf(events, run.truth),
  ]);
  expect(faults).toEqual(Object.keys(run.seen).map((kind) => [kind, []]));
}

/** Ignores rejected watches: a restarted server may reject a few before it serves them. */
function afterRestart({ seen }: Run): unknown[] {
  return Object.entries(seen).map(([kind, { events, requests }]) => ({
    kind,
    events,
    lists: listsIn(requests),
  }));
}

/** Breaks the connections while objects change, twice. */
async function cuts({ peers, namespace }: WatchedNamespace): Promise<void> {
  const cut = (): number[] => peers.map(({ proxy }) => proxy.cut());
  for (const round of [1, 2]) {
    expect(Math.min(...cut())).toBeGreaterThan(0);
    await namespace.churn();
    if (round === 2) cut();
  }
}

/** Pauses the informers; meanwhile their connections break, objects change and the history is compacted. */
async function expired({ peers, namespace, server }: WatchedNamespace): Promise<void> {
  for (const peer of peers) {
    peer.freeze();
    expect(peer.proxy.cut()).toBeGreaterThan(0);
  }
  await namespace.churn();
  await server.compact();
  for (const peer of peers) peer.thaw();
}

/** Changes objects while the response of the first list is on its way. */
async function changesMeanwhile(watched: WatchedNamespace): Promise<void> {
  await watched.holding(100_000);
  await watched.namespace.churn();
  expect(watched.peers.flatMap(({ lines }) => lines.filter(({ synced }) => synced))).toEqual([]);
  watched.hurry();
  await watched.synced();
}

withPeers('the typed, dynamic and metadata informers of client-go, with WatchList and LIST', () => {
  test('emit every state, and send the same requests to both servers', async () => {
    const { here, there } = await onBoth({});
    expect(eventsOf(there)).toEqual(informerKinds.map(() => there.truth));
    expect(here).toEqual(there);
  });

  test.each([
    { labels: 'parity=odd' },
    { labels: 'step notin (1),parity' },
    { fields: 'metadata.name!=object-3' },
  ])('emit the same events for objects that enter and leave the selection: %j', async (choice) => {
    const { here, there } = await onBoth({ choice });
    expect(eventsOf(there)).not.toEqual(informerKinds.map(() => there.truth));
    expect(here).toEqual(there);
  });

  test('lose no event if connections break while objects change', async () => {
    const { here, there } = await onBoth({ cause: cuts });
    expectNoFaults(there);
    expectNoFaults(here);
  });

  test('relist after 410, and emit the same differences', async () => {
    const { here, there } = await onBoth({ cause: expired });
    expectNoFaults(there);
    for (const { events, requests } of Object.values(there.seen)) {
      // The test is meaningful only if states were skipped because of the 410.
      expect(events).not.toEqual(there.truth);
      expect(listsIn(requests)).toHaveLength(2);
    }
    expect(afterRestart(here)).toEqual(afterRestart(there));
  });

  test('emit changes that happen during a slow list', async () => {
    const { here, there } = await onBoth({ slow: true, cause: changesMeanwhile });
    expect(eventsOf(there)).toEqual(informerKinds.map(() => there.truth));
    expect(here).toEqual(there);
  });
});

const resource = builtin.ConfigMap;
const watches = { resource, verb: 'watch' } as const;

/** Ends the open watches, so that the informers start new ones. */
function onNewWatches(faults: Faults, fault: Fault): () => number {
  faults.cutWatches({ resource });
  return () => fault.hits;
}

const times = informerKinds.length;

/** Faults that only @keelson/apiserver can inject, each with a function that counts them. */
const watchFaults: Readonly<Record<string, (faults: Faults) => () => number>> = {
  '410 to a new watch': (faults) => onNewWatches(faults, faults.expire({ ...watches, times })),
  '410 as the first event of a watch': (faults) =>
    onNewWatches(faults, faults.expireWatchesAtOnce({ resource, times })),
  '410 in a watch that runs': (faults) => {
    const faulted = faults.expireWatches({ resource });
    return () => faulted;
  },
  '429 with Retry-After': (faults) => onNewWatches(faults, faults.throttle({ ...watches, times })),
  '503 to new watches': (faults) =>
    onNewWatches(faults, faults.fail({ ...watches, code: 503, times })),
  'watches that end at once': (faults) =>
    onNewWatches(faults, faults.endWatchesAtOnce({ resource, times })),
  'an event that is cut in the middle': (faults) => {
    const faulted = faults.truncateWatches({ resource });
    return () => faulted;
  },
};

/** Faults that start before the informers. */
const lasting: Readonly<Record<string, (faults: Faults) => Fault>> = {
  'a server that refuses WatchList': (faults) => faults.refuseWatchList({ resource }),
  'lists that come slowly': (faults) => faults.slowLists({ resource, by: '20ms' }),
};

function faultsOfOurs({ ours }: ServerUnderTest): Faults {
  if (ours === undefined) throw new Error('only our server has faults on demand');
  return ours.faults;
}

withPeers('the informers of client-go on @keelson/apiserver', () => {
  test.each(Object.entries(watchFaults))('recover from %s', async (_, begin) => {
    let faulted = (): number => 0;
    const run = await runOn(servers.ours, servers.name(), {
      async cause({ server, namespace }) {
        faulted = begin(faultsOfOurs(server));
        await namespace.churn();
      },
    });
    expect(faulted()).toBe(times);
    expectNoFaults(run);
  });

  test.each(Object.entries(lasting))('work with %s', async (_, begin) => {
    using fault = begin(faultsOfOurs(servers.ours));
    const run = await runOn(servers.ours, servers.name(), {});
    expect(fault.hits).toBeGreaterThan(0);
    expect(eventsOf(run)).toEqual(informerKinds.map(() => run.truth));
  });
});
