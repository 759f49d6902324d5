import { fieldHash } from '@keelson/apimachinery';
import type { SlotSet } from './slot-set.ts';
import { SLOTS } from './slots.ts';

/** The bits of a hash below those that are its slot. */
const BITS_BELOW = 54n;

/** Returns the slot of a namespace with the mode `server`: the upper ten bits of the hash that `shardSelector` uses. */
export function fieldSlotOf(namespace: string): number {
  return fieldHash(namespace).high >>> 22;
}

/**
 * Returns the `shardSelector` of the namespaces of these slots, with one range for each run of slots; `undefined` for
 * all slots. The API cannot select nothing, so the selector of an empty set selects a single hash.
 */
export function shardSelectorOf(slots: SlotSet): string | undefined {
  const ranges: string[] = [];
  let start: number | undefined;
  for (let slot = 0; slot <= SLOTS; slot += 1) {
    const isInside = slot < SLOTS && slots.has(slot);
    if (isInside) start ??= slot;
    else if (start !== undefined) {
      ranges.push(rangeOf(BigInt(start) << BITS_BELOW, BigInt(slot) << BITS_BELOW));
      start = undefined;
    }
  }
  if (slots.size === SLOTS) return undefined;
  return ranges.length === 0 ? rangeOf(0n, 1n) : ranges.join('||');
}

function rangeOf(start: bigint, end: bigint): string {
  return `shardRange(object.metadata.namespace,'${hexOf(start)}','${hexOf(end)}')`;
}

function hexOf(hash: bigint): string {
  return `0x${hash.toString(16).padStart(16, '0')}`;
}
