import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { BusyNamespace } from './busy-namespace.ts';
import { faultsOf, historyOf, stateOf, type History } from './history.ts';
import { findPrograms } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { sayWhatIsMissing } from './skipped.ts';
import { TestServers } from './test-servers.ts';

const { peers, assets } = await findPrograms(process.env);
sayWhatIsMissing({ peers, assets });
const withPeers = peers === undefined ? describe.skip : describe;

const servers = new TestServers({ peers, assets });

type Trouble = (server: ServerUnderTest, namespace: BusyNamespace) => Promise<void>;

interface Story {
  readonly mode: string;
  readonly watchList: boolean;
  readonly trouble: Trouble;
}

const calm: Trouble = async (_, namespace) => namespace.churn();

/** Connections break while objects change, twice. */
const cuts: Trouble = async ({ proxy }, namespace) => {
  for (const round of [1, 2]) {
    proxy.cut();
    await namespace.churn();
    if (round === 2) proxy.cut();
  }
};

/** Nobody can watch while objects change, and then the versions in between are forgotten. */
const expired: Trouble = async ({ ours: server }, namespace) => {
  const watches = { resource: builtin.ConfigMap, verb: 'watch' } as const;
  const outage = server?.faults.fail({ ...watches, code: 503 });
  server?.faults.cutWatches({ resource: builtin.ConfigMap });
  await namespace.churn();
  server?.compact();
  outage?.end();
};

/** Tells what an informer of client-go saw of a namespace in trouble, after it ended right. */
async function watchedBy(
  server: ServerUnderTest,
  story: Story,
): Promise<{ readonly seen: History; readonly truth: History }> {
  const name = servers.name();
  const namespace = await BusyNamespace.create(server.client, name, 20);
  await using peer = servers.start(server, {
    namespace: name,
    scenario: 'informer',
    flags: [`-mode=${story.mode}`],
    env: { KUBE_FEATURE_WatchListClient: String(story.watchList) },
  });
  await peer.line('synced');
  await namespace.churn();
  await story.trouble(server, namespace);
  await namespace.churn();
  const versions = await namespace.versions();
  // A real namespace has a ConfigMap of its own only with the root CA publisher, which does not run.
  await peer.until((lines) => sameState(stateOf(lines), versions));
  peer.ask('state');
  expect((await peer.line('state')).state).toEqual(versions);
  expect((await peer.end()).at(-1)).toEqual({ ended: true });
  return { seen: historyOf(peer.lines), truth: namespace.truth };
}

function sameState(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

const modes = ['json', 'protobuf', 'dynamic', 'metadata'] as const;
const kinds = modes.flatMap((mode) => [true, false].map((watchList) => ({ mode, watchList })));

withPeers('an informer of client-go', () => {
  test.each(kinds)(
    '$mode, watch-list $watchList, tells every state of our server',
    async (kind) => {
      const { seen, truth } = await watchedBy(servers.ours, { ...kind, trouble: calm });
      expect(seen).toEqual(truth);
    },
  );

  test.each(kinds)('$mode, watch-list $watchList, loses nothing to cuts', async (kind) => {
    const { seen, truth } = await watchedBy(servers.ours, { ...kind, trouble: cuts });
    expect(faultsOf(seen, truth)).toEqual([]);
  });

  test.each(kinds)('$mode, watch-list $watchList, comes through 410', async (kind) => {
    const { seen, truth } = await watchedBy(servers.ours, { ...kind, trouble: expired });
    expect(faultsOf(seen, truth)).toEqual([]);
    // The test is one only if something was skipped.
    expect(seen).not.toEqual(truth);
  });

  test.each(modes)('%s waits for a slow list', async (mode) => {
    using slow = servers.ours.ours?.faults.slowLists({ resource: builtin.ConfigMap, by: '20ms' });
    const { seen, truth } = await watchedBy(servers.ours, {
      mode,
      watchList: false,
      trouble: calm,
    });
    expect(seen).toEqual(truth);
    expect(slow?.hits).toBeGreaterThan(0);
  });
});

const withBoth = peers === undefined || assets === undefined ? describe.skip : describe;

withBoth('an informer of client-go on a real server', () => {
  test.each(kinds)('$mode, watch-list $watchList, tells what it tells of ours', async (kind) => {
    const there = await watchedBy(servers.real, { ...kind, trouble: calm });
    const here = await watchedBy(servers.ours, { ...kind, trouble: calm });
    expect(there.seen).toEqual(there.truth);
    expect(here.seen).toEqual(there.seen);
  });

  test.each(kinds)('$mode, watch-list $watchList, ends alike after cuts', async (kind) => {
    const there = await watchedBy(servers.real, { ...kind, trouble: cuts });
    expect(faultsOf(there.seen, there.truth)).toEqual([]);
  });
});
