import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Peer } from './peer.ts';
import { ReplicaProcess } from '@keelson/example-high-availability/replica-process';
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
  /** The name of the Lease. Default `widgets`. */
  readonly lease?: string;
}

function replica(place: Place, identity: string): Promise<Peer> {
  const { server, namespace, scenario, lease = 'widgets' } = place;
  const flags = [`-lease=${lease}`, `-identity=${identity}`];
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

/** Starts a replica of Keelson; `ends` disposes of it. */
async function keelsonReplica(
  { server, namespace }: Place,
  ends: AsyncDisposableStack,
): Promise<ReplicaProcess> {
  const { kubeconfig, proxy } = await server.connect();
  ends.use(proxy);
  const name = 'ours';
  const started = ends.use(new ReplicaProcess(name, { kubeconfig, namespace }));
  await within(
    () => `${name} to be a standby`,
    () => started.until('standby'),
  );
  return started;
}

/** Resolves when the replica of Keelson leads. */
function leads(replicaOfKeelson: ReplicaProcess): Promise<void> {
  const { name } = replicaOfKeelson;
  return within(
    () => `${name} to lead`,
    () => replicaOfKeelson.until('leader'),
  );
}

/** Collects the holders of the Lease in the order of its changes, without the process ids of Keelson. */
async function watchHolders({ server, namespace }: Place, signal: AbortSignal): Promise<string[]> {
  const holders: string[] = [];
  try {
    for await (const { type, object } of server.client.watch(builtin.Lease, {
      namespace,
      signal,
    })) {
      if (type !== 'ADDED' && type !== 'MODIFIED') continue;
      const holder = (object.spec?.holderIdentity ?? '').replace(/-\d+$/, '');
      if (holder !== holders.at(-1)) holders.push(holder);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return holders;
}

/** Replicas of Keelson and of client-go take the same Lease from each other in every way. */
async function mixedSuccession(place: Place): Promise<unknown> {
  await using ends = new AsyncDisposableStack();
  const over = new AbortController();
  const holders = watchHolders(place, over.signal);
  const firstOurs = await keelsonReplica(place, ends);
  await leads(firstOurs);
  await using firstTheirs = await replica(place, 'theirs-first');
  await firstTheirs.line('observed');
  firstOurs.signal('SIGTERM');
  await firstTheirs.line('leading');
  const secondOurs = await keelsonReplica(place, ends);
  await renewed(place);
  await firstTheirs.end();
  await leads(secondOurs);
  await using secondTheirs = await replica(place, 'theirs-second');
  await secondTheirs.line('observed');
  secondOurs.signal('SIGKILL');
  await secondTheirs.line('leading');
  const thirdOurs = await keelsonReplica(place, ends);
  await renewed(place);
  using _ = secondTheirs.proxy.refuse();
  await leads(thirdOurs);
  thirdOurs.signal('SIGTERM');
  const codes = [await firstOurs.ended, await thirdOurs.ended, await secondTheirs.exitCode()];
  over.abort();
  return { holders: await holders, codes };
}

withPeers('a replica of Keelson beside one of client-go', () => {
  test('LE02, LE03, LE07 take the same Lease from each other after a stop, a crash and a disconnect', async () => {
    const namespace = await servers.namespace();
    const { here, there } = await servers.onBoth((server) =>
      mixedSuccession({ server, namespace, scenario: 'election', lease: 'worker' }),
    );
    expect(there).toEqual({
      holders: ['ours', '', 'theirs-first', '', 'ours', 'theirs-second', 'ours', ''],
      codes: [0, 0, 0],
    });
    expect(here).toEqual(there);
  });
});
