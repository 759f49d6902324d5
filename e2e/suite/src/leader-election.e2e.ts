import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, type Cluster } from '@keelson/manager';
import { ReplicaProcess } from '@keelson/example-high-availability/replica-process';
import { Work } from '@keelson/example-high-availability/work';
import { Tunnel } from './fault-course/tunnel.ts';
import { openSuite, testWithControls } from './suite.ts';

/** The manager's default. A machine that is busy for some seconds would make a leader lose a shorter Lease. */
const LEASE_SECONDS = 15;

const suite = openSuite();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-election-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** Two replicas in processes of their own, and objects that one of them must handle. */
class Election implements AsyncDisposable {
  readonly namespace: string;
  readonly work: Work;
  readonly #enough = new AbortController();
  readonly #over = new AbortController();
  readonly #recorded: Promise<void>;
  #adding: Promise<void> | undefined;
  /** The holders of the Lease in the order of its changes, without the process ids. */
  readonly holders: string[] = [];
  readonly #watched: Promise<void>;
  readonly #replicas: ReplicaProcess[] = [];

  private constructor(namespace: string) {
    this.namespace = namespace;
    this.work = new Work(suite.client, namespace);
    this.#recorded = this.work.record(this.#over.signal);
    this.#watched = this.#watchHolders(this.#over.signal);
  }

  static async open(): Promise<Election> {
    return new Election(await suite.namespace());
  }

  /** Starts a replica; `cluster` is the server as this replica reaches it. */
  async replica(name: string, cluster: Cluster = suite.cluster): Promise<ReplicaProcess> {
    const kubeconfig = join(folder, `${this.namespace}-${name}.json`);
    await writeFile(kubeconfig, kubeconfigAt(cluster), { mode: 0o600 });
    const { namespace } = this;
    const replica = new ReplicaProcess(name, {
      kubeconfig,
      namespace,
      leaseSeconds: LEASE_SECONDS,
    });
    this.#replicas.push(replica);
    await replica.until('standby');
    return replica;
  }

  /** A leader and a standby whose Lease is watched, with objects created all the time. */
  async pair(cluster?: Cluster): Promise<[leader: ReplicaProcess, standby: ReplicaProcess]> {
    const leader = await this.replica('a', cluster);
    await leader.until('leader');
    const standby = await this.replica('b');
    this.#adding = this.work.keepAdding(50, this.#enough.signal);
    await this.work.untilHandled(10);
    return [leader, standby];
  }

  /** Ends the creation of objects. Resolves when all are handled, by one replica after the other. */
  async finish(): Promise<string[]> {
    this.#enough.abort();
    await this.#adding;
    await this.work.untilHandled(this.work.created);
    this.#over.abort();
    await Promise.all([this.#recorded, this.#watched]);
    this.work.checkTerms();
    return this.work.terms().map(({ replica }) => withoutProcess(replica));
  }

  async #watchHolders(signal: AbortSignal): Promise<void> {
    try {
      const options = { namespace: this.namespace, signal };
      for await (const { type, object } of suite.client.watch(builtin.Lease, options)) {
        if (type !== 'ADDED' && type !== 'MODIFIED') continue;
        const holder = withoutProcess(object.spec?.holderIdentity ?? '');
        if (holder !== this.holders.at(-1)) this.holders.push(holder);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#enough.abort();
    this.#over.abort();
    await Promise.allSettled([this.#adding, this.#recorded, this.#watched]);
    for (const replica of this.#replicas) await replica[Symbol.asyncDispose]();
  }
}

/** The kubeconfig of the suite with another address of the server. */
function kubeconfigAt({ server }: Cluster): string {
  const config = JSON.parse(suite.kubeconfig) as { clusters: { cluster: { server: string } }[] };
  for (const { cluster } of config.clusters) cluster.server = server;
  return JSON.stringify(config);
}

function withoutProcess(identity: string): string {
  return identity.replace(/-\d+$/, '');
}

describe('leader election of two processes', () => {
  let election: Election;

  afterEach(() => election[Symbol.asyncDispose]());

  test('MG05 after SIGTERM the standby takes the freed Lease, and the process ends without an error', async () => {
    election = await Election.open();
    const [leader, standby] = await election.pair();
    leader.signal('SIGTERM');
    await standby.until('leader');
    expect(await leader.ended).toBe(0);
    expect(await election.finish()).toEqual(['a', 'b']);
    expect(election.holders).toEqual(['a', '', 'b']);
  });

  test('LE03 after kill -9 the standby leads when the Lease has expired', async () => {
    election = await Election.open();
    const [leader, standby] = await election.pair();
    leader.signal('SIGKILL');
    await standby.until('leader');
    expect(await election.finish()).toEqual(['a', 'b']);
    expect(election.holders).toEqual(['a', 'b']);
  });

  test('LE13 a process that is suspended for longer than its Lease writes nothing when it continues', async () => {
    election = await Election.open();
    const [leader, standby] = await election.pair();
    leader.signal('SIGSTOP');
    await standby.until('leader');
    leader.signal('SIGCONT');
    expect(await leader.ended).toBe(1);
    expect(leader.lastLine).toBe('LEADERSHIP_LOST');
    expect(await election.finish()).toEqual(['a', 'b']);
  });

  test('LE12 a leader without network ends, and the standby leads when the Lease has expired', async () => {
    election = await Election.open();
    await using tunnel = await Tunnel.open(suite.cluster);
    const [leader, standby] = await election.pair(tunnel.cluster);
    // Packets are lost in both directions: no connection breaks.
    tunnel.onData = () => undefined;
    tunnel.onConnection = () => undefined;
    expect(await leader.ended).toBe(1);
    expect([leader.lastLine, standby.state]).toEqual(['LEADERSHIP_LOST', 'standby']);
    await standby.until('leader');
    expect(await election.finish()).toEqual(['a', 'b']);
  });

  testWithControls(
    'while the API server is frozen, the leader ends; a standby leads when the server continues',
    async () => {
      election = await Election.open();
      const [leader, standby] = await election.pair();
      await suite.controls.pause('kube-apiserver');
      try {
        expect(await leader.ended).toBe(1);
        expect(standby.state).toBe('standby');
      } finally {
        await suite.controls.resume('kube-apiserver');
      }
      await standby.until('leader');
      expect(await election.finish()).toEqual(['a', 'b']);
    },
  );

  test('the Lease of a replica has the members that client-go reads', async () => {
    election = await Election.open();
    await election.pair();
    const name = { namespace: election.namespace, name: 'worker' };
    const { spec } = await suite.client.get(builtin.Lease, name);
    const microTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as unknown;
    expect(spec).toEqual({
      holderIdentity: expect.stringMatching(/^a-\d+$/) as unknown,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: microTime,
      renewTime: microTime,
      leaseTransitions: 0,
    });
  });
});
