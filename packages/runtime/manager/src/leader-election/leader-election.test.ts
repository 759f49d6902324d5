import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import { checkLeaderElection } from './leader-election-options.ts';
import { LeaderElection } from './leader-election.ts';
import { recordOf } from './lease-record.ts';
import {
  eventually,
  gate,
  nothing,
  objectOf,
  recordingLogger,
  silent,
  valueOf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Lease, Secret } = builtin;
const leaseName = { namespace: 'default', name: 'web-app' };
const longest = { leaseDuration: '3600s', renewDeadline: '3000s', retryPeriod: '2000s' } as const;

let server: ApiServer;
let client: Client;
const managers: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

/** A replica that never renews during a test, so that only the events of the test matter. */
function replica(identity: string, options: ManagerOptions = {}): Manager {
  const { leaderElection, ...rest } = options;
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: '20s',
    leaderElection: {
      lease: 'web-app',
      namespace: 'default',
      identity,
      ...longest,
      ...leaderElection,
    },
    ...rest,
  });
  managers.push(manager);
  return manager;
}

/** A controller of ConfigMaps that records who reconciled which. */
function addRecorder(manager: Manager, identity: string, seen: string[]): void {
  manager.addController({
    name: 'recorder',
    for: ConfigMap,
    reconcile: ({ name }) => void seen.push(`${identity} ${name}`),
  });
}

function started(manager: Manager): Promise<void> {
  const ended = manager.start();
  ended.catch(nothing);
  return ended;
}

function holder(): string | undefined {
  const lease = server.object(Lease, leaseName);
  return lease === undefined ? undefined : recordOf(lease).holder;
}

/** Writes the Lease as another process would that took it. A patch has no conflict with a renewal at the same time. */
async function takeAway(): Promise<void> {
  const body = { spec: { holderIdentity: 'other' } };
  await client.patch(Lease, leaseName, { type: 'merge', body });
}

describe('a manager with leader election', () => {
  test('MG05, MG22 the stop of the leader lets a warm standby, which ran nothing, take over without a list', async () => {
    const seen: string[] = [];
    const [one, two] = [replica('one'), replica('two')];
    addRecorder(one, 'one', seen);
    addRecorder(two, 'two', seen);
    const ended = started(one);
    await one.started;
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => seen.includes('one a'));
    started(two).catch(nothing);
    await eventually(() => server.stats.openWatches(ConfigMap) === 2);
    await eventually(() => server.stats.openWatches(Lease) === 1);
    server.stats.reset();
    expect([one.isLeader, two.isLeader]).toEqual([true, false]);
    expect(seen.filter((line) => line.startsWith('two '))).toEqual([]);
    await one.stop();
    await ended;
    await two.started;
    await eventually(() => seen.includes('two a'));
    expect([holder(), two.isLeader, one.isLeader]).toEqual(['two', true, false]);
    expect(server.stats.requests({ resource: ConfigMap })).toBe(0);
    expect(seen.filter((line) => line.startsWith('two '))).toEqual(
      ['two a', 'two kube-root-ca.crt'].filter((line) => seen.includes(line)),
    );
  });

  test('MG02 the Lease is freed only after the runnables of the leader have ended', async () => {
    const finish = gate();
    const manager = replica('one');
    const holders: (string | undefined)[] = [];
    const runnable = (phase: 'always' | 'leader'): void =>
      manager.addRunnable({
        name: phase,
        phase,
        async run({ signal }) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          await finish.opened;
          holders.push(holder());
        },
      });
    runnable('leader');
    runnable('always');
    const ended = started(manager);
    await manager.started;
    const stopped = manager.stop();
    finish.open();
    await Promise.all([stopped, ended]);
    expect([holders, holder()]).toEqual([['one', 'one'], '']);
  });

  test('a stop leaves the Lease to expire if a reconcile of the leader still runs', async () => {
    const manager = replica('one', { gracePeriod: 0 });
    const entered = gate();
    const finish = gate();
    manager.addController({
      name: 'stuck',
      for: ConfigMap,
      async reconcile() {
        entered.open();
        await finish.opened;
      },
    });
    const ended = started(manager);
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await entered.opened;
    await manager.stop();
    await ended;
    expect(holder()).toBe('one');
    finish.open();
  });

  test('releaseOnStop: false leaves the Lease to expire', async () => {
    const manager = replica('one', { leaderElection: { lease: 'web-app', releaseOnStop: false } });
    const ended = started(manager);
    await manager.started;
    await manager.stop();
    await ended;
    expect(holder()).toBe('one');
  });

  test('a lost Lease refuses writes, aborts reconciles at once, and rejects start with LEADERSHIP_LOST', async () => {
    const manager = replica('one', {
      leaderElection: {
        lease: 'web-app',
        leaseDuration: '3s',
        renewDeadline: '2s',
        retryPeriod: '50ms',
      },
    });
    const entered = gate();
    const refused: unknown[] = [];
    manager.addController({
      name: 'writer',
      for: ConfigMap,
      async reconcile(request, { client: writer, signal }) {
        entered.open();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        for (const target of [writer, writer.withFieldManager('x')]) {
          await target
            .create(Secret, objectOf(Secret, 'late'))
            .catch((error: unknown) => refused.push(error));
        }
        // Reads continue.
        await writer.get(ConfigMap, { namespace: 'default', ...request });
      },
    });
    const ended = manager.start();
    ended.catch(nothing);
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await entered.opened;
    await takeAway();
    await expect(ended).rejects.toMatchObject({ code: 'LEADERSHIP_LOST' });
    await eventually(() => refused.length >= 2);
    expect(refused).toEqual(
      refused.map(() => expect.objectContaining({ code: 'LEADERSHIP_LOST' }) as unknown),
    );
    expect(server.object(Secret, { namespace: 'default', name: 'late' })).toBeUndefined();
    expect(holder()).toBe('other');
  });

  test('a Lease that is lost during a stop ends the grace period', async () => {
    const manager = replica('one', {
      gracePeriod: '3600s',
      leaderElection: {
        lease: 'web-app',
        leaseDuration: '3s',
        renewDeadline: '2s',
        retryPeriod: '50ms',
      },
    });
    const entered = gate();
    manager.addController({
      name: 'stuck',
      for: ConfigMap,
      async reconcile() {
        entered.open();
        await new Promise(nothing);
      },
    });
    const ended = manager.start();
    ended.catch(nothing);
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await entered.opened;
    const stopped = manager.stop();
    await takeAway();
    await stopped;
    await expect(ended).rejects.toMatchObject({ code: 'LEADERSHIP_LOST' });
  });

  test('a standby is ready and healthy, and runs what has the phase always', async () => {
    const leader = replica('one');
    started(leader).catch(nothing);
    await leader.started;
    const seen: string[] = [];
    const standby = replica('two', { servers: { health: { port: 0, host: '127.0.0.1' } } });
    standby.addRunnable({ name: 'r', phase: 'always', run: () => void seen.push('runnable') });
    standby.addController({
      name: 'writes',
      phase: 'always',
      for: ConfigMap,
      async reconcile({ name }, { client: writer }) {
        await writer.create(Secret, objectOf(Secret, `of-${name}`));
        seen.push('controller');
      },
    });
    standby.addController({
      name: 'leads',
      for: ConfigMap,
      sources: [
        { name: 'early', phase: 'always', requests: noteRead(seen, 'source of always') },
        { name: 'late', requests: noteRead(seen, 'source of leader') },
      ],
      reconcile: () => void seen.push('leader only'),
    });
    started(standby).catch(nothing);
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => seen.length === 3);
    expect(seen.toSorted()).toEqual(['controller', 'runnable', 'source of always']);
    const get = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${standby.ports.health}${path}`)).status;
    await eventually(async () => (await get('/readyz')) === 200);
    expect(await get('/healthz/leader-election')).toBe(200);
    await leader.stop();
    await standby.started;
    await eventually(() => seen.includes('leader only') && seen.includes('source of leader'));
  });

  test('leader_election_master_status is 1 for the leader and 0 for a standby', async () => {
    const [one, two] = [replica('one'), replica('two')];
    started(one).catch(nothing);
    await one.started;
    started(two).catch(nothing);
    const status = (manager: Manager): Promise<number | undefined> =>
      valueOf(manager, 'leader_election_master_status', { name: 'web-app' });
    expect([await status(one), await status(two)]).toEqual([1, 0]);
    expect(await valueOf(one, 'leader_election_slowpath_total', { name: 'web-app' })).toBe(0);
  });

  test('controllers and runnables added while the manager is a standby wait for the leadership', async () => {
    const [one, two] = [replica('one'), replica('two')];
    started(one).catch(nothing);
    await one.started;
    started(two).catch(nothing);
    await eventually(() => server.stats.openWatches(Lease) === 1);
    const seen: string[] = [];
    addRecorder(two, 'two', seen);
    two.addRunnable({ name: 'r', run: () => void seen.push('runnable') });
    await client.create(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => server.stats.openWatches(ConfigMap) === 1);
    expect(seen).toEqual([]);
    await one.stop();
    await eventually(() => seen.includes('two a') && seen.includes('runnable'));
  });

  test('a standby that stops ends at once and leaves the Lease alone', async () => {
    const { logger, lines } = recordingLogger();
    const [one, two] = [replica('one'), replica('two', { logger })];
    started(one).catch(nothing);
    await one.started;
    const ended = started(two);
    await eventually(() => server.stats.openWatches(Lease) === 1);
    await two.stop();
    await ended;
    expect(holder()).toBe('one');
    await expect(two.started).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
    expect(lines.map(({ message }) => message)).not.toContain('released the Lease');
  });

  test('stopWaiting ends the wait for a Lease of another process', async () => {
    const leader = replica('one');
    started(leader).catch(nothing);
    await leader.started;
    const settings = checkLeaderElection({ lease: 'web-app', namespace: 'default', ...longest });
    const observer = { slowPath: nothing };
    const election = new LeaderElection(settings, { client, log: silent, observer, lost: nothing });
    const acquired = election.acquire();
    await eventually(() => server.stats.openWatches(Lease) === 1);
    election.stopWaiting();
    expect(await acquired).toBe(false);
    expect(holder()).toBe('one');
  });

  test('a standby without permission to watch the Lease takes over all the same', async () => {
    const quick = {
      lease: 'web-app',
      leaseDuration: '15s',
      renewDeadline: '10s',
      retryPeriod: '10ms',
    } as const;
    const refusal = server.faults.forbid({ resource: Lease, verb: 'watch' });
    const [one, two] = [replica('one'), replica('two', { leaderElection: quick })];
    started(one).catch(nothing);
    await one.started;
    started(two).catch(nothing);
    await one.stop();
    await two.started;
    expect(holder()).toBe('two');
    refusal.end();
  });

  test('start rejects if neither the options nor the cluster name the namespace of the Lease', async () => {
    const manager = createManager({
      cluster: { server: server.cluster.server },
      logger: silent,
      stopSignals: [],
      leaderElection: { lease: 'web-app' },
    });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('createManager.leaderElection.namespace') as unknown,
    });
  });

  test('the namespace of the cluster is the default, and the identity begins with the host name', async () => {
    const { logger, lines } = recordingLogger();
    const manager = createManager({
      cluster: { ...server.cluster, namespace: 'default' },
      logger,
      stopSignals: [],
      leaderElection: { lease: 'web-app' },
    });
    managers.push(manager);
    started(manager).catch(nothing);
    await manager.started;
    expect(holder()).toMatch(/^.+_[0-9a-f-]{36}$/);
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'became the leader', lease: 'web-app' }),
    );
  });
});

function noteRead(seen: string[], line: string): () => AsyncGenerator<{ name: string }> {
  return async function* () {
    seen.push(line);
    yield { name: 'x' };
  };
}
