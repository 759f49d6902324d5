import type { builtin, ObjectOf } from '@keelson/apimachinery';

/** A `coordination.k8s.io/v1` Lease. */
export type LeaseObject = ObjectOf<typeof builtin.Lease>;

/** The members of a Lease that leader election uses: client-go's `LeaderElectionRecord`. */
export interface LeaseRecord {
  /** The identity of the leader. Empty if the Lease is free. */
  readonly holder: string;
  /** Seconds after a renewal during which no other process may take the Lease. */
  readonly durationSeconds: number;
  /** When the holder became the leader, as a MicroTime. Empty if the Lease does not contain it. */
  readonly acquireTime: string;
  /** The wall clock of the holder at its last renewal, as a MicroTime. Other processes only compare it for equality. */
  readonly renewTime: string;
  /** How often the leader changed. */
  readonly transitions: number;
}

/** Reads the record of a Lease. Members that another program left out or wrote wrongly get their zero value. */
export function recordOf({ spec }: LeaseObject): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    durationSeconds: count(spec?.leaseDurationSeconds),
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: count(spec?.leaseTransitions),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** Returns the Lease with this record. Other members, which other programs may have set, are kept. */
export function withRecord(lease: LeaseObject, record: LeaseRecord): LeaseObject {
  const { holderIdentity: _, ...spec } = lease.spec ?? {};
  return {
    ...lease,
    spec: {
      ...spec,
      // A free Lease has no holder; kube-apiserver refuses an empty one.
      ...(record.holder === '' ? {} : { holderIdentity: record.holder }),
      leaseDurationSeconds: record.durationSeconds,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}

/** True if both records are equal in every member, so that the holder did not renew in between. */
export function sameRecord(one: LeaseRecord, other: LeaseRecord): boolean {
  return (
    one.holder === other.holder &&
    one.durationSeconds === other.durationSeconds &&
    one.acquireTime === other.acquireTime &&
    one.renewTime === other.renewTime &&
    one.transitions === other.transitions
  );
}

/** Formats a time of the wall clock as a MicroTime: exactly six digits after the second (`metav1.RFC3339Micro`). */
export function microTime(wallClockMs: number): string {
  return new Date(wallClockMs).toISOString().replace('Z', '000Z');
}
