import { expect, test } from '@jest/globals';
import { BusyNamespace } from './busy-namespace.ts';
import { historyOf, isSameState, stateOf, type History } from './history.ts';
import type { Line, Peer } from './peer.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers } = servers;

interface Scene {
  readonly server: ServerUnderTest;
  readonly busy: BusyNamespace;
  readonly peer: Peer;
}

interface Watched {
  readonly events: History;
  readonly truth: History;
  /** Other output: the error of the watch, and the object that it waited for. */
  readonly rest: readonly Line[];
}

/** The events of a RetryWatcher in a busy namespace until the object "last" exists. */
async function watchedOn(
  server: ServerUnderTest,
  name: string,
  trouble: (scene: Scene) => Promise<void>,
): Promise<Watched> {
  const busy = await BusyNamespace.create(server.client, { name, objects: 10 });
  await using peer = await servers.start(server, { scenario: 'watch', namespace: name });
  await peer.line('synced');
  await busy.churn();
  const versions = await busy.versions();
  await peer.until('the first changes', (lines) => isSameState(stateOf(lines), versions));
  await trouble({ server, busy, peer });
  await busy.add('last');
  await peer.line('until');
  await peer.until('the last event, or the end of the watch', (lines) =>
    lines.some(({ key, failed }) => key === 'last' || failed !== undefined),
  );
  const lines = await peer.end();
  const rest = lines.filter(({ event }) => event === undefined);
  return { events: historyOf(lines), truth: busy.truth, rest };
}

const until = { until: 'last', as: 'ADDED' };

withPeers('the RetryWatcher and UntilWithSync of client-go', () => {
  test('lose no event after broken connections', async () => {
    const name = servers.name();
    const { here, there } = await servers.onBoth((server) =>
      watchedOn(server, name, async ({ busy, peer }) => {
        expect(peer.proxy.cut()).toBeGreaterThan(0);
        await busy.churn();
        peer.proxy.cut();
      }),
    );
    expect(there.events).toEqual(there.truth);
    expect(there.rest).toEqual([{ synced: 10 }, until, { ended: true }]);
    expect(here).toEqual(there);
  });

  test('end with 410, or list again', async () => {
    const name = servers.name();
    const { here, there } = await servers.onBoth((server) =>
      watchedOn(server, name, async ({ busy, peer }) => {
        peer.freeze();
        expect(peer.proxy.cut()).toBeGreaterThan(0);
        await busy.churn();
        await server.compact();
        peer.thaw();
      }),
    );
    expect(there.events).not.toEqual(there.truth);
    expect(new Set(there.rest)).toEqual(
      new Set([{ synced: 10 }, { failed: 'Expired' }, until, { ended: true }]),
    );
    expect(new Set(here.rest)).toEqual(new Set(there.rest));
    expect(here.events).toEqual(there.events);
  });
});
