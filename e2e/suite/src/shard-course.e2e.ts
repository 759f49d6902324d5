import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chosenEnvironment } from './chosen-environment.ts';
import type { LeaseTimings } from './shard-course/replica-process.ts';
import { ServerProcess } from './shard-course/server-process.ts';
import { ShardCourse } from './shard-course/shard-course.ts';
import { sharedClock } from './shard-course/shared-clock.ts';
import { openSuite, testWithControls } from './suite.ts';

const isInMemory = chosenEnvironment().options.use === 'memory';
let server: ServerProcess | undefined;
let folder = '';

/** The server in memory runs in a process of its own, so that a signal can freeze it whole. */
const suite = openSuite(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-shards-'));
  if (!isInMemory) return {};
  server = await ServerProcess.start();
  const kubeconfig = join(folder, 'server.json');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  return { use: 'kubeconfig', kubeconfig };
});

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
});

const freeze = async (): Promise<void> =>
  server === undefined ? suite.controls.pause('kube-apiserver') : server.freeze();
const thaw = async (): Promise<void> =>
  server === undefined ? suite.controls.resume('kube-apiserver') : server.thaw();

/** Prints a measurement. */
const report = (what: string, measured: object): void =>
  console.log(`${what}: ${JSON.stringify(measured)}`);

let course: ShardCourse;

async function openCourse(timings: LeaseTimings): Promise<void> {
  const kubeconfig = join(folder, 'replicas.json');
  await writeFile(kubeconfig, suite.kubeconfig, { mode: 0o600 });
  const namespace = await suite.namespace();
  const { client } = suite;
  course = await ShardCourse.open({ client, kubeconfig, namespace, timings, folder });
  await course.start('a');
  await course.start('b', 'c', 'd');
  await course.shared();
}

/** No key was in two runs at once, and no write of a run arrived after another replica had begun one. */
function expectOneOwner(): void {
  expect(course.record.lateWrites).toEqual([]);
  expect(course.overlaps).toEqual([]);
}

describe('four replicas in processes of their own, with the default Leases', () => {
  const LEASE_MS = 15_000;
  beforeAll(() => openCourse({ leaseDuration: '15s', renewDeadline: '10s', retryPeriod: '2s' }));
  afterAll(() => course[Symbol.asyncDispose]());

  test('take over at a clean leave before the Lease expires, and run every key during a rolling update', async () => {
    const left = await course.leave('a');
    await course.shared(left.leavingAt);
    const takeover = course.record.takeover(left.name, left.leavingAt);
    report('clean leave', takeover);
    // A second on an idle machine. The limit proves that the others did not wait for the Lease.
    expect(takeover.milliseconds).toBeLessThan(LEASE_MS / 2);

    const began = sharedClock();
    const takeovers = [];
    await course.start('a');
    for (const name of ['b', 'c', 'd', 'a']) {
      const former = await course.update(name);
      takeovers.push([former.name, former.leavingAt] as const);
    }
    await course.shared();
    const milliseconds = takeovers.map((one) => course.record.takeover(...one).milliseconds);
    const longestPause = course.record.longestPause(began);
    report('rolling update', {
      seconds: (sharedClock() - began) / 1000,
      milliseconds,
      longestPause,
    });
    // Nothing waited for a Lease to expire.
    expect(longestPause).toBeLessThan(LEASE_MS - 2_000);
    expectOneOwner();
  });
});

describe('four replicas in processes of their own, with short Leases', () => {
  const LEASE_MS = 5_000;
  beforeAll(() => openCourse({ leaseDuration: '5s', renewDeadline: '4s', retryPeriod: '500ms' }));
  afterAll(() => course[Symbol.asyncDispose]());

  test('take over from a killed replica and from a suspended one, which writes nothing when it continues, and joins again', async () => {
    const [killed, suspended] = [course.replica('a'), course.replica('b')];
    await course.record.until((record) => record.hasOpenRun(suspended.name));
    const since = sharedClock();
    suspended.signal('SIGSTOP');
    killed.signal('SIGKILL');
    await course.record.until((record) => record.isHandedOver(suspended.name));
    await course.record.until((record) => record.isHandedOver(killed.name));
    const takeovers = [killed, suspended].map(({ name }) => course.record.takeover(name, since));
    const continuedAt = sharedClock();
    suspended.signal('SIGCONT');
    expect(await suspended.ended).toBe('SHARDS_LOST');
    await course.shared();
    report('SIGKILL, SIGSTOP', { takeovers, untilJoined: sharedClock() - continuedAt });
    for (const { milliseconds } of takeovers) expect(milliseconds).toBeLessThan(LEASE_MS + 5_000);
    // Its threads ran for some milliseconds after the signal.
    expect(course.record.beginsOf(suspended.name, continuedAt)).toEqual([]);
    expectOneOwner();
  });

  testWithControls(
    'run every key again after the API server was frozen for longer than a Lease',
    async () => {
      const before = ['a', 'b', 'c', 'd'].map((name) => course.replica(name));
      const frozenAt = sharedClock();
      await freeze();
      try {
        await Promise.all(before.map(({ ended }) => ended));
        // The subject of the test is an outage of this length.
        await sleep(Math.max(0, frozenAt + LEASE_MS + 1_000 - sharedClock()));
      } finally {
        await thaw();
      }
      const thawedAt = sharedClock();
      await course.shared(thawedAt);
      report('frozen API server', { milliseconds: sharedClock() - thawedAt });
      expectOneOwner();
    },
  );
});
