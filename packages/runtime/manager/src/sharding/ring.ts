import { SlotSet } from './slot-set.ts';
import { finalized, murmur3, SLOTS } from './slots.ts';

/** The replicas that share the slots, and the owner of each slot. */
export interface Ring {
  /** The names of the replicas, sorted. */
  readonly replicas: readonly string[];
  /** The owner of each slot; `undefined` for all slots without replicas. */
  readonly owners: readonly (string | undefined)[];
  /** The slots of each replica that has any. */
  readonly slotsOf: ReadonlyMap<string, SlotSet>;
}

const encoder = new TextEncoder();

/**
 * Assigns each slot to the replica with the highest score for it (rendezvous hashing). A replica that joins takes slots
 * from all others, one that leaves gives its slots to all others, and no other slot moves.
 *
 * The scores of a replica are a random permutation of the slots, and not independent random numbers. So the numbers of
 * slots vary less between the replicas.
 */
export function ringOf(replicas: Iterable<string>): Ring {
  const sorted = [...new Set(replicas)].toSorted();
  const owners = Array<string | undefined>(SLOTS).fill(undefined);
  const best = new Float64Array(SLOTS).fill(-1);
  for (const replica of sorted) {
    const seed = murmur3(encoder.encode(replica));
    for (const [slot, rank] of shuffled(seed).entries()) {
      // Two replicas may have a slot at the same rank; the fraction decides.
      const score = rank + finalized(seed ^ finalized(slot)) / 2 ** 32;
      if (score <= (best[slot] ?? 0)) continue;
      best[slot] = score;
      owners[slot] = replica;
    }
  }
  return { replicas: sorted, owners, slotsOf: slotsByOwner(owners) };
}

function slotsByOwner(owners: Ring['owners']): Map<string, SlotSet> {
  const slotsOf = new Map<string, SlotSet>();
  for (const [slot, owner] of owners.entries()) {
    if (owner === undefined) continue;
    const slots = slotsOf.get(owner) ?? new SlotSet();
    slots.add(slot);
    slotsOf.set(owner, slots);
  }
  return slotsOf;
}

/** Returns the numbers of all slots in an order that depends on the seed (Fisher–Yates). */
function shuffled(seed: number): Uint16Array {
  const ranks = Uint16Array.from({ length: SLOTS }, (_, slot) => slot);
  let state = seed;
  for (let last = SLOTS - 1; last > 0; last -= 1) {
    // The increment of SplitMix32, so that the states of a sequence are different numbers.
    state = (state + 0x9e3779b9) | 0;
    const other = finalized(state) % (last + 1);
    const rank = ranks[last] ?? 0;
    ranks[last] = ranks[other] ?? 0;
    ranks[other] = rank;
  }
  return ranks;
}

/** The number of slots of a ring that it assigns to a replica. */
export function share({ owners }: Ring, replica: string): number {
  return owners.filter((owner) => owner === replica).length;
}
