import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Peer } from './peer.ts';
import { programsOf } from './programs.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { TestServers } from './test-servers.ts';
import { Widget } from './widget.ts';
import { requestBound, within } from './within.ts';

const servers = new TestServers(programsOf(process.env));
const { withPeers } = servers;

interface Place {
  readonly server: ServerUnderTest;
  readonly namespace: string;
  /** `election`: client-go's elector alone; `controller`: a manager of controller-runtime. */
  readonly scenario: string;
}

function replica({ server, namespace, scenario }: Place, identity: string): Promise<Peer> {
  const flags = ['-lease=widgets', `-identity=${identity}`];
  return servers.start(server, { scenario, namespace, flags });
}

/** Returns the parts of the Lease that do not depend on time. */
async function leaseOf({ server, namespace }: Place): Promise<unknown> {
  const name = { namespace, name: 'widgets' };
  const { spec } = await server.client.get(builtin.Lease, name, requestBound);
  // The manager of controller-runtime appends a random suffix to the host name.
  const isHeld = (spec?.holderIdentity ?? '') !== '';
  return { isHeld, transitions: spec?.leaseTransitions, seconds: spec?.leaseDurationSeconds };
}

/** Resolves when the leader has renewed the Lease, which only the leader writes. */
async function renewed({ server, namespace }: Place): Promise<void> {
  const times = new Set<string>();
  const watch = async (signal: AbortSignal): Promise<void> => {
    for await (const event of server.client.watch(builtin.Lease, { namespace, signal })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      times.add(event.object.spec?.renewTime ?? '');
      if (times.size === 3) return;
    }
  };
  await within(() => `three renewals on ${server.name}, seen ${[...times].join(' ')}`, watch);
}

/** Checks that the leader works: it reconciles a new Widget. */
async function expectWork({ server, namespace, scenario }: Place, leader: Peer): Promise<void> {
  if (scenario !== 'controller') return;
  const created = { metadata: { generateName: 'work-', namespace }, spec: { copies: 1, text: '' } };
  const { metadata } = await server.client.create(Widget, created, requestBound);
  await leader.until('a reconciled Widget', (lines) =>
    lines.some(({ reconciled }) => reconciled === metadata.name),
  );
}

/** Runs four replicas one after the other: the first stops, the second crashes, the third is disconnected. */
async function successionOf(place: Place): Promise<unknown[]> {
  const leases: unknown[] = [];
  await using first = await replica(place, 'first');
  await first.line('leading');
  await using second = await replica(place, 'second');
  await renewed(place);
  await expectWork(place, first);
  leases.push(await leaseOf(place));
  await first.end();
  await second.line('leading');
  await using third = await replica(place, 'third');
  await expectWork(place, second);
  leases.push(await leaseOf(place));
  await second.kill();
  await third.line('leading');
  await using fourth = await replica(place, 'fourth');
  await expectWork(place, third);
  leases.push(await leaseOf(place));
  using _ = third.proxy.refuse();
  await fourth.line('leading');
  await expectWork(place, fourth);
  leases.push(await leaseOf(place), { lost: await third.exitCode() });
  await fourth.end();
  leases.push(await leaseOf(place));
  return leases;
}

const held = { isHeld: true, seconds: 5 };

withPeers.each([
  { who: 'the elector of client-go', scenario: 'election', code: 0 },
  { who: 'a manager of controller-runtime', scenario: 'controller', code: 1 },
])('$who', ({ scenario, code }) => {
  test('leads, renews, loses the lead after a stop, a crash or a disconnect, and leaves the same Lease', async () => {
    const namespace = await servers.namespace();
    const { here, there } = await servers.onBoth((server) =>
      successionOf({ server, namespace, scenario }),
    );
    expect(there).toEqual([
      { ...held, transitions: 0 },
      { ...held, transitions: 1 },
      { ...held, transitions: 2 },
      { ...held, transitions: 3 },
      { lost: code },
      { isHeld: false, transitions: 3, seconds: 1 },
    ]);
    expect(here).toEqual(there);
  });
});
