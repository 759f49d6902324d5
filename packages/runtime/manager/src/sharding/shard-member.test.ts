import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ElectionTime } from '../leader-election/election-time.ts';
import { nothing, silent } from '../testing/fixtures.test-support.ts';
import { ringOf } from './ring.ts';
import { ShardMember } from './shard-member.ts';
import {
  storedShard,
  withShardRecord,
  type ShardRecord,
  type StoredShard,
} from './shard-record.ts';
import { SlotSet } from './slot-set.ts';
import { SLOTS } from './slots.ts';

const timings = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

let now: number;
let timers: (() => void)[];
let writes: ShardRecord[];
let started: number;
let lost: string[];
/** Settles the next write. */
let write: (record: ShardRecord) => Promise<StoredShard>;

/** Timers fire only when the test fires them. */
const time: ElectionTime = {
  now: () => now,
  wallClock: () => Date.UTC(2026, 0, 1) + now,
  startTimer(_milliseconds, fire) {
    timers.push(fire);
    return () => {
      timers = timers.filter((timer) => timer !== fire);
    };
  },
  random: () => 0,
};

function stored(record: ShardRecord): StoredShard {
  const metadata = { namespace: 'default', name: 'own', resourceVersion: `${record.sequence}` };
  return storedShard(withShardRecord({ metadata }, 'web', record));
}

/** A replica that claims all slots. */
const other: StoredShard = stored({
  identity: 'other',
  durationSeconds: 15,
  acquireTime: '',
  renewTime: '',
  sequence: 1,
  scheme: 'name',
  leaving: false,
  slots: SlotSet.all(),
});

function member(): ShardMember {
  return new ShardMember({
    name: 'own',
    identity: 'own',
    scheme: 'name',
    leases: {
      get: () => Promise.resolve(undefined),
      create: (_name, record) => write(record),
      update: (_stored, record) => write(record),
      delete: () => Promise.resolve(),
    },
    timings,
    time,
    log: silent,
    observer: {
      started: (slots) => {
        started += slots.length;
      },
      draining: nothing,
      lost: ({ facts }) => lost.push(String(facts['reason'])),
    },
  });
}

/** Resolves after all microtasks. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass, and then fires the timers that were started before. */
async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  for (const fire of timers.splice(0)) fire();
  await turn();
}

beforeEach(() => {
  now = 100_000;
  timers = [];
  writes = [];
  started = 0;
  lost = [];
  write = (record) => {
    writes.push(record);
    return Promise.resolve(stored(record));
  };
});

describe('a replica of a sharding', () => {
  test('starts its slots when it has observed its claim and no other', async () => {
    const replica = member();
    replica.observe(new Map());
    await replica.join();
    expect([started, writes[0]?.slots.size]).toEqual([0, SLOTS]);
    replica.observe(new Map([['own', stored(writes[0] as ShardRecord)]]));
    expect(started).toBe(SLOTS);
  });

  test('a claim of a Lease whose creation was never acknowledged does not count for the next Lease', async () => {
    const succeeds = write;
    write = (record) => {
      writes.push(record);
      return Promise.reject(new Error('timeout'));
    };
    const replica = member();
    replica.observe(new Map());
    const joined = replica.join();
    await turn();
    // The Lease exists. It is deleted when it has expired, which the late watch does not say.
    replica.observe(new Map([['own', stored(writes[0] as ShardRecord)]]));
    write = succeeds;
    await pass(timings.retryPeriod);
    await joined;
    expect([started, replica.isLive]).toEqual([0, true]);
    replica.observe(new Map([['own', stored(writes.at(-1) as ShardRecord)]]));
    expect(started).toBe(SLOTS);
  });

  test('starts no slot after a suspension, before the timer of its deadline', async () => {
    const replica = member();
    replica.observe(new Map());
    await replica.join();
    now += timings.renewDeadline;
    replica.observe(new Map([['own', stored(writes[0] as ShardRecord)]]));
    expect([started, lost]).toEqual([0, ['the Lease was not renewed in time']]);
    expect(() => replica.check()).toThrow(expect.objectContaining({ code: 'SHARDS_LOST' }));
  });

  test('takes no slot of a replica whose renewals a late watch has not delivered', async () => {
    const replica = member();
    replica.observe(new Map([['other', other]]));
    await replica.join();
    const early = new Map([
      ['other', other],
      ['own', stored(writes[0] as ShardRecord)],
    ]);
    replica.observe(early);
    for (let renewals = 0; renewals < 10; renewals += 1) await pass(timings.retryPeriod);
    expect(replica.isLive).toBe(true);
    // Nothing has changed for longer than a Lease, because the watch has delivered nothing.
    replica.observe(early);
    await pass(timings.retryPeriod);
    replica.observe(early);
    expect([started, replica.ring.replicas]).toEqual([0, ['other', 'own']]);
    // A state with a recent own write shows that the other replica has not renewed its Lease.
    replica.observe(
      new Map([
        ['other', other],
        ['own', stored(writes.at(-1) as ShardRecord)],
      ]),
    );
    expect(replica.ring.replicas).toEqual(['own']);
    await pass(timings.retryPeriod);
    replica.observe(
      new Map([
        ['other', other],
        ['own', stored(writes.at(-1) as ShardRecord)],
      ]),
    );
    expect(started).toBe(SLOTS);
  });

  describe('a slot of other replicas is settled', () => {
    const names = ['own', 'second', 'third'];
    const { slotsOf, owners } = ringOf(names);
    const ofSecond = slotsOf.get('second') as SlotSet;
    const slot = owners.indexOf('second');
    let sequence = 0;
    /** A Lease that another replica has written anew. */
    const claims = (slots: SlotSet, more: Partial<ShardRecord> = {}): StoredShard =>
      stored({ ...other.record, sequence: (sequence += 1), slots, ...more });
    const ofThird = claims(slotsOf.get('third') as SlotSet);

    /** A member of the ring with the others, which has observed its own claims. */
    async function joined(others: Readonly<Record<string, StoredShard>>): Promise<ShardMember> {
      const replica = member();
      replica.observe(new Map(Object.entries(others)));
      expect(isSettled(replica)).toBe(true);
      await replica.join();
      observe(replica, others);
      return replica;
    }

    function observe(
      replica: ShardMember,
      others: Readonly<Record<string, StoredShard>>,
      own: SlotSet = (writes.at(-1) as ShardRecord).slots,
    ): void {
      const lease = stored({ ...(writes.at(-1) as ShardRecord), slots: own });
      replica.observe(new Map([['own', lease], ...Object.entries(others)]));
    }

    const isSettled = (replica: ShardMember): boolean => replica.settled.has(slot);

    test('while its owner in the ring alone claims it', async () => {
      const replica = await joined({ second: claims(ofSecond), third: ofThird });
      expect(isSettled(replica)).toBe(true);
      expect(replica.settled.hasAll(slotsOf.get('third') as SlotSet)).toBe(true);
      observe(replica, { second: claims(new SlotSet()), third: ofThird });
      expect(isSettled(replica)).toBe(false);
    });

    test('not while two replicas claim it, or another one than its owner in the ring', async () => {
      const third = claims(new SlotSet([slot]));
      const replica = await joined({ second: claims(ofSecond), third });
      expect(isSettled(replica)).toBe(false);
      observe(replica, { second: claims(new SlotSet()), third });
      expect(isSettled(replica)).toBe(false);
    });

    test('not while its owner leaves', async () => {
      const replica = await joined({ second: claims(ofSecond), third: ofThird });
      observe(replica, { second: claims(ofSecond, { leaving: true }), third: ofThird });
      expect(isSettled(replica)).toBe(false);
    });

    test('not while the observed Lease of this replica has it', async () => {
      const replica = await joined({ second: claims(ofSecond), third: ofThird });
      observe(replica, { second: claims(ofSecond), third: ofThird }, ofSecond);
      expect(isSettled(replica)).toBe(false);
    });

    test('while a replica of another scheme has slots, and after this replica leaves', async () => {
      const third = claims(slotsOf.get('third') as SlotSet, { scheme: 'namespace' });
      const replica = await joined({ second: claims(new SlotSet()), third });
      expect(isSettled(replica)).toBe(true);
      observe(replica, { second: claims(new SlotSet()), third: ofThird });
      expect(isSettled(replica)).toBe(false);
      replica.leave();
      expect(isSettled(replica)).toBe(true);
    });
  });
});
