import { describe, expect, test } from '@jest/globals';
import { builtin, StatusError } from '@keelson/apimachinery';
import { silent } from '../testing/fixtures.test-support.ts';
import { LeaseWorld, VirtualProcess, type Journey } from '../testing/lease-world.test-support.ts';
import { LeaderElector, type ElectionTimings } from './leader-elector.ts';
import type { LeaseLock } from './lease-lock.ts';
import { microTime, recordOf, sameRecord, withRecord, type LeaseRecord } from './lease-record.ts';

const timings: ElectionTimings = {
  leaseDuration: 15_000,
  renewDeadline: 10_000,
  retryPeriod: 2_000,
};

const other: LeaseRecord = {
  holder: 'other',
  durationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.123456Z',
  renewTime: '2026-01-01T00:00:00.654321Z',
  transitions: 4,
};

interface Candidate {
  readonly elector: LeaderElector;
  readonly process: VirtualProcess;
  /** The calls of the observer. */
  readonly seen: string[];
  readonly acquired: Promise<void>;
  /** Ends the wait for the Lease. */
  readonly stop: AbortController;
}

/** A world without jitter. */
function newWorld(): LeaseWorld {
  return new LeaseWorld(() => 0);
}

function candidate(world: LeaseWorld, identity: string, lock: Partial<LeaseLock> = {}): Candidate {
  const process = new VirtualProcess(world);
  const seen: string[] = [];
  const note = (what: string) => (): void => void seen.push(what);
  const elector = new LeaderElector({
    lock: { ...world.server.lockFor(process), ...lock },
    identity,
    timings,
    time: process,
    log: silent,
    observer: { lost: note('lost'), slowPath: note('slow path') },
  });
  const stop = new AbortController();
  const acquired = elector.acquire(stop.signal);
  acquired.then(note('elected'), () => undefined);
  return { elector, process, seen, acquired, stop };
}

const never = new AbortController().signal;

describe('LeaderElector', () => {
  test('LE01 creates a missing Lease and becomes the leader', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(10);
    await one.acquired;
    expect([one.elector.isLeader, one.seen]).toEqual([true, ['elected']]);
    expect(world.server.record).toMatchObject({
      holder: 'one',
      durationSeconds: 15,
      transitions: 0,
    });
  });

  test('LE02 takes a Lease without holder and counts a transition', async () => {
    const world = newWorld();
    world.server.write({ ...other, holder: '' });
    const one = candidate(world, 'one');
    await world.pass(10);
    expect(one.elector.isLeader).toBe(true);
    expect(world.server.record).toMatchObject({ holder: 'one', transitions: 5 });
    const { acquireTime, renewTime } = world.server.record as LeaseRecord;
    expect([acquireTime === renewTime, acquireTime === other.acquireTime]).toEqual([true, false]);
  });

  test('LE03 takes a Lease that was not renewed for its duration since this process first saw it', async () => {
    const world = newWorld();
    world.server.write(other);
    const one = candidate(world, 'one');
    await world.pass(14_900);
    expect(one.elector.isLeader).toBe(false);
    await world.pass(200);
    expect(one.elector.isLeader).toBe(true);
    expect(world.server.record).toMatchObject({ holder: 'one', transitions: 5 });
  });

  test('a renewal by the holder begins a new period, a change of metadata does not', async () => {
    const world = newWorld();
    world.server.write(other);
    const one = candidate(world, 'one');
    await world.pass(10_000);
    world.server.write({ ...other, renewTime: '2026-01-01T00:00:10.000000Z' });
    await world.pass(10_000);
    // The same record with another resourceVersion.
    world.server.write({ ...other, renewTime: '2026-01-01T00:00:10.000000Z' });
    await world.pass(4_900);
    expect(one.elector.isLeader).toBe(false);
    await world.pass(200);
    expect(one.elector.isLeader).toBe(true);
  });

  test('LE05 LE10 a renewal is one update, which keeps transitions and acquire time', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    const before = world.server.record;
    world.server.requests.length = 0;
    await world.pass(2_000);
    expect(world.server.requests).toEqual(['update']);
    const { renewTime, ...rest } = world.server.record as LeaseRecord;
    expect({ ...rest, renewTime: before?.renewTime }).toEqual(before);
    expect(renewTime).not.toBe(before?.renewTime);
    expect(one.seen).toEqual(['elected']);
  });

  test('LE10 after a conflict a renewal reads the Lease, then updates it', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    // A user edits the Lease; the holder stays.
    world.server.write(world.server.record);
    world.server.requests.length = 0;
    await world.pass(2_000);
    expect(world.server.requests).toEqual(['update', 'get', 'update']);
    expect(one.seen).toEqual(['elected', 'slow path']);
    expect(one.elector.isLeader).toBe(true);
  });

  test('creates the Lease again if it is deleted while this process is the leader', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write(undefined);
    await world.pass(2_100);
    expect(world.server.record?.holder).toBe('one');
    expect(one.elector.isLeader).toBe(true);
  });

  test('a standby waits for the end of the period if the Lease of another leader is deleted', async () => {
    const world = newWorld();
    world.server.write(other);
    const one = candidate(world, 'one');
    await world.pass(5_000);
    world.server.write(undefined);
    await world.pass(9_900);
    expect(one.elector.isLeader).toBe(false);
    await world.pass(200);
    expect(one.elector.isLeader).toBe(true);
  });

  test('loses the leadership at once if another process holds the Lease', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write(other);
    await world.pass(2_100);
    expect(one.seen).toEqual(['elected', 'slow path', 'lost']);
    expect(() => one.elector.check()).toThrow(expect.objectContaining({ code: 'LEADERSHIP_LOST' }));
    expect(world.server.record).toEqual(other);
  });

  test('a partitioned leader loses the leadership at the renew deadline, and a standby leads after the lease', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    const two = candidate(world, 'two');
    await world.pass(100);
    one.process.partitioned = true;
    await world.pass(7_500);
    expect(one.elector.isLeader).toBe(true);
    await world.pass(2_600);
    expect([one.elector.isLeader, one.seen.at(-1)]).toEqual([false, 'lost']);
    expect(one.elector.signal.reason).toMatchObject({ code: 'LEADERSHIP_LOST' });
    expect(two.elector.isLeader).toBe(false);
    await world.pass(5_000);
    expect(two.elector.isLeader).toBe(true);
  });

  test('LE13 a process that was stalled beyond the renew deadline refuses its next write', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    one.process.stall(12_000);
    // The code of the process continues after the stall, before any of its timers.
    await world.pass(11_999);
    world.now += 1;
    expect(() => one.elector.check()).toThrow(expect.objectContaining({ code: 'LEADERSHIP_LOST' }));
    expect(one.elector.signal.aborted).toBe(true);
    expect(one.seen).toEqual(['elected', 'lost']);
  });

  test('LE11 a leader that did not renew past the tolerance is unhealthy, a standby is healthy', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    const two = candidate(world, 'two');
    one.process.stall(60_000);
    await world.pass(34_000);
    one.elector.checkHealth();
    await world.pass(2_000);
    expect(() => one.elector.checkHealth()).toThrow('the Lease was not renewed in time');
    two.elector.checkHealth();
  });

  test('a standby that watches the Lease takes a released one at once', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    const two = candidate(world, 'two');
    await world.pass(5_000);
    const released = one.elector.release(never);
    await world.pass(20);
    await released;
    expect([one.elector.isLeader, two.elector.isLeader]).toEqual([false, true]);
    expect(one.seen).toEqual(['elected']);
  });

  test('a standby that watches the Lease sends no request while another process holds it', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    candidate(world, 'two');
    await world.pass(10);
    world.server.requests.length = 0;
    await world.pass(60_000);
    expect(one.elector.isLeader).toBe(true);
    expect(new Set(world.server.requests)).toEqual(new Set(['update']));
  });

  test('a standby that may not watch the Lease reads it once in a retry period', async () => {
    const world = newWorld();
    world.server.refusesWatches = true;
    const one = candidate(world, 'one');
    await world.pass(100);
    const two = candidate(world, 'two');
    await world.pass(100);
    world.server.requests.length = 0;
    await world.pass(20_000);
    const gets = world.server.requests.filter((verb) => verb === 'get').length;
    expect(gets).toBeGreaterThanOrEqual(9);
    expect(gets).toBeLessThanOrEqual(10);
    const released = one.elector.release(never);
    await world.pass(2_100);
    await released;
    expect(two.elector.isLeader).toBe(true);
  });

  test('LE07 release empties the holder, also after a conflict', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write({ ...(world.server.record as LeaseRecord), transitions: 7 });
    const released = one.elector.release(never);
    await world.pass(20);
    await released;
    const now = microTime(Date.UTC(2026, 0, 1) + 100);
    expect(world.server.record).toEqual({
      holder: '',
      durationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      transitions: 7,
    });
    expect(() => one.elector.check()).toThrow(expect.objectContaining({ code: 'LEADERSHIP_LOST' }));
  });

  test('release waits between its attempts while reads are behind, and frees the Lease when they are not', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write({ ...(world.server.record as LeaseRecord), transitions: 7 });
    world.server.lag = () => 1;
    world.server.requests.length = 0;
    const released = one.elector.release(never);
    await world.pass(4_000);
    expect(world.server.requests.length).toBeLessThan(10);
    world.server.lag = () => 0;
    await world.pass(2_000);
    await released;
    expect(world.server.record?.holder).toBe('');
  });

  test('a standby behind reads that never advance sends a request per retry period, and leads when they do', async () => {
    const world = newWorld();
    world.server.refusesWatches = true;
    world.server.write({ ...other, holder: '' });
    world.server.write({ ...other, holder: '', transitions: 5 });
    world.server.lag = () => 1;
    const one = candidate(world, 'one');
    await world.pass(60_000);
    expect(one.seen).toEqual([]);
    expect(world.server.requests.length).toBeLessThan(2 * 31);
    world.server.lag = () => 0;
    await world.pass(5_000);
    expect(one.elector.isLeader).toBe(true);
    one.stop.abort();
    one.elector.abandon();
  });

  test('release resolves if the Lease was deleted', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write(undefined);
    const released = one.elector.release(never);
    await world.pass(20);
    await released;
    expect(world.server.record).toBeUndefined();
  });

  test('release rejects if its request fails, and does not repeat it', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    const journeys: Journey[] = [{ there: 1, back: 1, lost: 'request' }];
    world.server.journey = () => journeys.pop() ?? { there: 1, back: 1 };
    world.server.requests.length = 0;
    const released = expect(one.elector.release(never)).rejects.toThrow('timeout');
    await world.pass(6_000);
    await released;
    expect([world.server.requests, world.server.record?.holder]).toEqual([[], 'one']);
  });

  test('release sends no request after the leadership was lost', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    one.process.partitioned = true;
    await world.pass(12_000);
    one.process.partitioned = false;
    world.server.requests.length = 0;
    await one.elector.release(never);
    await world.pass(20);
    expect([world.server.requests, one.seen]).toEqual([[], ['elected', 'lost']]);
    expect(one.elector.signal.reason).toMatchObject({
      facts: { identity: 'one', reason: 'the Lease was not renewed in time' },
    });
  });

  test('a leader renews a Lease whose holder another program removed', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write({ ...other, holder: '' });
    await world.pass(2_100);
    expect([one.elector.isLeader, one.seen]).toEqual([true, ['elected', 'slow path']]);
    expect(world.server.record).toMatchObject({ holder: 'one', transitions: 5 });
  });

  test('a standby that cannot write a free Lease tries once in a retry period, with jitter', async () => {
    const world = new LeaseWorld(() => 1);
    world.server.write({ ...other, holder: '' });
    const one = candidate(world, 'one', {
      update: () => Promise.reject(new StatusError({ code: 403, reason: 'Forbidden' })),
    });
    await world.pass(44_000);
    const gets = world.server.requests.filter((verb) => verb === 'get').length;
    expect(gets).toBe(10);
    expect(one.elector.isLeader).toBe(false);
  });

  test('release leaves a Lease alone that another process has taken', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    world.server.write(other);
    const released = one.elector.release(never);
    await world.pass(20);
    await released;
    expect(world.server.record).toEqual(other);
  });

  test('abandon ends the leadership and leaves the Lease to expire', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    await world.pass(100);
    one.elector.abandon();
    await world.pass(20);
    expect([one.elector.isLeader, world.server.record?.holder]).toEqual([false, 'one']);
  });

  test('a standby that stops rejects with the reason, and its watch ends', async () => {
    const world = newWorld();
    world.server.write(other);
    const one = candidate(world, 'one');
    await world.pass(100);
    one.stop.abort(new Error('stopped'));
    await world.pass(10);
    await expect(one.acquired).rejects.toThrow('stopped');
    world.server.requests.length = 0;
    await world.pass(60_000);
    expect([world.server.requests, one.seen]).toEqual([[], []]);
  });

  test('a write before the leadership is refused', async () => {
    const world = newWorld();
    world.server.write(other);
    const one = candidate(world, 'one');
    await world.pass(100);
    expect(() => one.elector.check()).toThrow(expect.objectContaining({ code: 'LEADERSHIP_LOST' }));
    expect(one.elector.signal.aborted).toBe(false);
  });

  test('LE13 an acquisition whose response comes after the renew deadline does not count', async () => {
    const world = newWorld();
    const one = candidate(world, 'one');
    world.server.journey = () => ({ there: 1, back: 5 });
    await world.pass(7);
    one.process.stall(10_500);
    await world.pass(10_500);
    expect([world.server.requests, world.server.record?.holder]).toEqual([
      ['watch', 'get', 'create'],
      'one',
    ]);
    expect([one.elector.isLeader, one.seen]).toEqual([false, []]);
    await world.pass(5_000);
    expect([one.elector.isLeader, one.seen]).toEqual([true, ['elected']]);
  });

  test('a standby that stops while it takes the Lease frees it again', async () => {
    const world = newWorld();
    world.server.journey = () => ({ there: 1, back: 100 });
    const one = candidate(world, 'one');
    await world.pass(150);
    expect([world.server.record?.holder, one.elector.isLeader]).toEqual(['one', false]);
    one.stop.abort(new Error('stopped'));
    const released = one.elector.release(never);
    await world.pass(300);
    await released;
    expect([world.server.record?.holder, one.seen]).toEqual(['', []]);
  });
});

describe('LeaseRecord', () => {
  test('LE06 round-trips, with microseconds as the server stored them', () => {
    const lease = withRecord({ metadata: { name: 'a' } }, other);
    expect(recordOf(lease)).toEqual(other);
    expect(lease.spec).toEqual({
      holderIdentity: 'other',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.123456Z',
      renewTime: '2026-01-01T00:00:00.654321Z',
      leaseTransitions: 4,
    });
    expect(builtin.Lease.kind).toBe('Lease');
    expect(microTime(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe('2026-01-02T03:04:05.006000Z');
  });

  test.each(Object.keys(other))('differs from a record with another %s', (member) => {
    expect(sameRecord(other, { ...other })).toBe(true);
    expect(sameRecord(other, { ...other, [member]: 'changed' })).toBe(false);
  });

  test('keeps metadata and unknown members, and drops the holder of a free Lease', () => {
    const before = {
      metadata: { name: 'a', labels: { team: 'x' } },
      spec: { holderIdentity: 'me', preferredHolder: 'you' },
    };
    const after = withRecord(before, { ...other, holder: '' });
    expect(after.metadata).toEqual(before.metadata);
    expect(after.spec).toMatchObject({ preferredHolder: 'you' });
    expect(after.spec).not.toHaveProperty('holderIdentity');
  });

  test('reads a Lease of another program with missing or invalid members as free of them', () => {
    const free = { holder: '', durationSeconds: 0, acquireTime: '', renewTime: '', transitions: 0 };
    expect(recordOf({ metadata: {} })).toEqual(free);
    const spec = { leaseDurationSeconds: -1, leaseTransitions: '3' as unknown as number };
    expect(recordOf({ metadata: {}, spec })).toEqual(free);
  });
});
