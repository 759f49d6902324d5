import { resourceId } from '@keelson/apimachinery';
import type { ShardedSource } from '../run/shard-gate.ts';
import { murmur3, SLOTS } from './slots.ts';
import type { SlotSet } from './slot-set.ts';

/** The value of objects whose owners have different slots: every replica receives them. */
const EVERY_REPLICA = 'every';

const encoder = new TextEncoder();

/**
 * The label that has the slot of the requests of an object. The slot does not depend on the replicas, so a join or a leave
 * changes no object. Another `by` has another label. So has each kind of owner: an object may be a child in one
 * controller, and reconciled itself in another.
 */
export class ShardLabel {
  readonly key: string;

  constructor(sharding: string, scheme: string, { owner }: Pick<ShardedSource, 'owner'>) {
    const of =
      owner === undefined ? '' : `-of-${hexOf(`${resourceId(owner.resource)} ${owner.match}`)}`;
    this.key = `${sharding}.shard.keelson.dev/${scheme}${of}`;
  }

  /** The value for an object whose requests have these slots; `undefined` without requests: it has no label. */
  valueOf(slots: readonly number[]): string | undefined {
    const [first, ...others] = new Set(slots);
    if (first === undefined) return undefined;
    return others.length === 0 ? String(first) : EVERY_REPLICA;
  }

  /** Selects the objects of these slots. */
  selectorOf(slots: SlotSet): string {
    if (slots.size === SLOTS) return this.key;
    const values = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) =>
      slots.has(slot),
    );
    return `${this.key} in (${[EVERY_REPLICA, ...values].join()})`;
  }

  /** Selects the objects without the label. */
  get missing(): string {
    return `!${this.key}`;
  }
}

function hexOf(text: string): string {
  return murmur3(encoder.encode(text)).toString(16).padStart(8, '0');
}
