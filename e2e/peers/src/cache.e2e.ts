import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { BusyNamespace } from './busy-namespace.ts';
import { historyOf, listsIn, isSameState, requestsOf, stateOf, type History } from './history.ts';
import type { Line, Peer } from './peer.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';
import { Widget } from './widget.ts';
import { requestBound } from './within.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers } = servers;

const labelSelector = 'parity=odd';
const fieldSelector = 'metadata.name!=object-4';

/** A cache of controller-runtime for three kinds, and its expected contents. */
interface Scene {
  readonly server: ServerUnderTest;
  readonly busy: BusyNamespace;
  readonly peer: Peer;
}

type SceneFault = (scene: Scene) => Promise<void>;

interface Held {
  readonly events: Readonly<Record<string, History>>;
  readonly requests: readonly string[];
  readonly indexed: unknown;
  readonly managed: unknown;
}

async function withCache(server: ServerUnderTest, name: string, fault: SceneFault): Promise<Held> {
  const busy = await BusyNamespace.create(server.client, { name, objects: 20 });
  await others(server, name, 0);
  await using peer = await servers.start(server, {
    scenario: 'cache',
    namespace: name,
    flags: [`-labels=${labelSelector}`, `-fields=${fieldSelector}`],
  });
  await peer.line('synced');
  const scene = { server, busy, peer };
  await busy.churn();
  await caughtUp(scene);
  await fault(scene);
  await busy.churn();
  await caughtUp(scene);
  // The selector matches no object of an even step.
  peer.ask(String(busy.step - ((busy.step + 1) % 2)));
  const { indexed, managed, state } = await peer.line('indexed');
  expect(state).toEqual(await wantedOf(scene));
  const lines = await peer.end();
  const of = (informer: string): Line[] => lines.filter((line) => line.informer === informer);
  const kinds = ['maps', 'secrets', 'widgets'];
  const events = Object.fromEntries(kinds.map((kind) => [kind, historyOf(of(kind))]));
  return { events, requests: requestsOf(lines).toSorted(), indexed, managed };
}

/** Creates a Secret and a Widget, and changes and deletes those of the previous step. */
async function others({ client }: ServerUnderTest, namespace: string, step: number): Promise<void> {
  const metadata = { name: `other-${step}`, namespace, labels: { step: String(step) } };
  await client.create(builtin.Secret, { metadata }, requestBound);
  await client.create(Widget, { metadata, spec: { copies: step, text: '' } }, requestBound);
  if (step === 0) return;
  const before = { namespace, name: `other-${step - 1}` };
  const body = { metadata: { labels: { step: String(step) } } };
  await client.patch(Widget, before, { type: 'merge', body }, requestBound);
  await client.delete(builtin.Secret, before, requestBound);
}

async function wantedOf({ server, busy }: Scene): Promise<Record<string, Record<string, string>>> {
  const { client } = server;
  const selection = { ...requestBound, namespace: busy.name };
  const secrets = await client.list(builtin.Secret, selection);
  const widgets = await client.list(Widget, selection);
  return {
    maps: await busy.versions({ labelSelector, fieldSelector }),
    secrets: versionsOf(secrets.items),
    widgets: versionsOf(widgets.items),
  };
}

function versionsOf(
  items: readonly { readonly metadata?: { name?: string; resourceVersion?: string } }[],
): Record<string, string> {
  return Object.fromEntries(
    items.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
  );
}

async function caughtUp(scene: Scene): Promise<void> {
  const wanted = await wantedOf(scene);
  await scene.peer.until(`the state ${JSON.stringify(wanted)}`, (lines) =>
    Object.entries(wanted).every(([informer, versions]) => {
      const state = stateOf(lines.filter((line) => line.informer === informer));
      return isSameState(state, versions);
    }),
  );
}

async function calm({ server, busy }: Scene): Promise<void> {
  await others(server, busy.name, 1);
}

async function cuts({ server, busy, peer }: Scene): Promise<void> {
  expect(peer.proxy.cut()).toBeGreaterThan(0);
  await busy.churn();
  await others(server, busy.name, 1);
  peer.proxy.cut();
}

async function expired({ server, busy, peer }: Scene): Promise<void> {
  peer.freeze();
  expect(peer.proxy.cut()).toBeGreaterThan(0);
  await busy.churn();
  await others(server, busy.name, 1);
  await server.compact();
  peer.thaw();
}

withPeers('a cache of controller-runtime with selectors, an index and a transform', () => {
  test('emits the same events and holds the same objects', async () => {
    const name = servers.name();
    const { here, there } = await servers.onBoth((server) => withCache(server, name, calm));
    expect(there.managed).toBe(0);
    expect(there.indexed).not.toEqual([]);
    expect(here).toEqual(there);
  });

  test('holds the same after cuts', async () => {
    const name = servers.name();
    const { here, there } = await servers.onBoth((server) => withCache(server, name, cuts));
    expect(here.indexed).toEqual(there.indexed);
  });

  test('emits the same events after 410', async () => {
    const name = servers.name();
    const { here, there } = await servers.onBoth((server) => withCache(server, name, expired));
    // The real server restarts and may reject a few watches before it serves them.
    const [ours, theirs] = [here, there].map(({ requests, ...held }) => ({
      ...held,
      lists: listsIn(requests),
    }));
    expect(theirs?.lists.filter((request) => request.includes('from known'))).toHaveLength(3);
    expect(ours).toEqual(theirs);
  });
});
