import { withRecord, recordOf, type LeaseObject } from '../leader-election/lease-record.ts';
import { SlotSet } from './slot-set.ts';

/** The label of the Leases of a sharding; its value is the name of the sharding. */
export const SHARDING_LABEL = 'keelson.dev/sharding';

const SEQUENCE = 'keelson.dev/shard-sequence';
const SCHEME = 'keelson.dev/shard-scheme';
const SLOTS_CLAIMED = 'keelson.dev/shard-slots';
const LEAVING = 'keelson.dev/shard-leaving';

/** The state of one replica that the others see: the members of its Lease. */
export interface ShardRecord {
  /** The name of the process, for people. The name of the Lease identifies the replica. */
  readonly identity: string;
  /** Seconds after a renewal during which no other replica takes the slots. */
  readonly durationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  /** The number of the write, counted by the replica. It differs in each renewal. */
  readonly sequence: number;
  /** How the replica assigns requests to slots. */
  readonly scheme: string;
  /** True if the replica gives up its slots. */
  readonly leaving: boolean;
  /** The slots that the replica claims, runs or drains. */
  readonly slots: SlotSet;
}

/** The Lease of a replica as the server stores it. */
export interface StoredShard {
  readonly lease: LeaseObject;
  readonly record: ShardRecord;
}

/** Reads the Lease of a replica. A Lease without valid slots claims all of them, until it expires. */
export function storedShard(lease: LeaseObject): StoredShard {
  const { holder, durationSeconds, acquireTime, renewTime } = recordOf(lease);
  const { annotations = {} } = lease.metadata ?? {};
  const record = {
    identity: holder,
    durationSeconds,
    acquireTime,
    renewTime,
    sequence: Number(annotations[SEQUENCE] ?? 0),
    scheme: annotations[SCHEME] ?? '',
    leaving: annotations[LEAVING] === 'true',
    slots: SlotSet.parse(annotations[SLOTS_CLAIMED] ?? '') ?? SlotSet.all(),
  };
  return { lease, record };
}

/** Returns the Lease with this record. Members that other programs have set are kept. */
export function withShardRecord(
  lease: LeaseObject,
  sharding: string,
  record: ShardRecord,
): LeaseObject {
  const { identity: holder, durationSeconds, acquireTime, renewTime } = record;
  const times = { holder, durationSeconds, acquireTime, renewTime, transitions: 0 };
  const { labels, annotations } = lease.metadata ?? {};
  return withRecord(
    {
      ...lease,
      metadata: {
        ...lease.metadata,
        labels: { ...labels, [SHARDING_LABEL]: sharding },
        annotations: {
          ...annotations,
          [SEQUENCE]: String(record.sequence),
          [SCHEME]: record.scheme,
          [SLOTS_CLAIMED]: String(record.slots),
          [LEAVING]: String(record.leaving),
        },
      },
    },
    times,
  );
}
