import type { builtin, ObjectOf } from '@keelson/apimachinery';

type Lease = ObjectOf<typeof builtin.Lease>;

/** A replica of a sharding, as its Lease describes it. */
export interface ReplicaRow {
  readonly lease: string;
  /** The process that holds the Lease. */
  readonly identity: string;
  readonly state: 'member' | 'leaving' | 'expired';
  /** The number of slots that it claims, runs or drains; 0 of an expired one. */
  readonly slots: number;
  /** The number of these that another replica claims too: they move. */
  readonly moving: number;
  /** Seconds since its last renewal, by the clock of this computer. */
  readonly renewedBefore: number;
}

/** The replicas of a sharding, and the number of slots that none of them claims. */
export interface ReplicaTable {
  readonly sharding: string;
  readonly replicas: readonly ReplicaRow[];
  readonly unclaimed: number;
}

/** The number of slots, as `@keelson/manager` defines it. */
const SLOTS = 1024;

/** Reads the Leases of a sharding. `now` is in milliseconds since 1970. An expired Lease claims no slot. */
export function replicaTable(
  sharding: string,
  leases: readonly Lease[],
  now: number,
): ReplicaTable {
  const sets = leases.map((lease) => (isExpired(lease, now) ? undefined : slotsOf(lease)));
  const claims = Array.from(
    { length: SLOTS },
    (_, slot) => sets.filter((set) => set?.has(slot) === true).length,
  );
  const replicas = leases.map((lease, at): ReplicaRow => {
    const { metadata, spec } = lease;
    const slots = sets[at];
    const isLeaving = metadata?.annotations?.['keelson.dev/shard-leaving'] === 'true';
    return {
      lease: metadata?.name ?? '',
      identity: spec?.holderIdentity ?? '',
      state: slots === undefined ? 'expired' : isLeaving ? 'leaving' : 'member',
      slots: slots?.size ?? 0,
      moving: [...(slots ?? [])].filter((slot) => (claims[slot] ?? 0) > 1).length,
      renewedBefore: Math.max(0, Math.round(ageOf(lease, now))) || 0,
    };
  });
  return { sharding, replicas, unclaimed: claims.filter((count) => count === 0).length };
}

function isExpired(lease: Lease, now: number): boolean {
  return !(ageOf(lease, now) < (lease.spec?.leaseDurationSeconds ?? 0));
}

/** The seconds since the last renewal; NaN without one. */
function ageOf({ spec }: Lease, now: number): number {
  return (now - Date.parse(spec?.renewTime ?? '')) / 1000;
}

/** The lines of a table for people. */
export function tableLines({ sharding, replicas, unclaimed }: ReplicaTable): string[] {
  const head = ['LEASE', 'STATE', 'SLOTS', 'MOVING', 'RENEWED', 'IDENTITY'];
  const rows = replicas.map((row) => [
    row.lease,
    row.state,
    String(row.slots),
    String(row.moving),
    `${row.renewedBefore}s ago`,
    // Any client that can write a Lease chooses it; a line feed would begin a row of another replica.
    row.identity.replaceAll(/\s/g, ' '),
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const summary = `${sharding}: ${replicas.length} replicas, ${unclaimed} of ${SLOTS} slots unclaimed`;
  return [...[head, ...rows].map(line), summary];
}

/** Reads the bits of the claimed slots. A Lease without them claims all slots until it expires. */
function slotsOf({ metadata }: Lease): Set<number> {
  const bytes = Buffer.from(metadata?.annotations?.['keelson.dev/shard-slots'] ?? '', 'base64');
  const isValid = bytes.length === SLOTS / 8;
  const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
  return new Set(
    slots.filter((slot) => !isValid || ((bytes[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0),
  );
}
