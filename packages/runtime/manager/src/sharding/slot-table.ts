import { nextSlotState, type SlotEvent, type SlotState } from './slot-state.ts';
import { SlotSet } from './slot-set.ts';
import { SLOTS } from './slots.ts';

/** What decides the next states of the slots. */
export interface SlotRules {
  /** True if the ring assigns the slot to this replica. */
  isMine(slot: number): boolean;
  /** The number of the next write, which contains the claims that are made now. */
  readonly nextWrite: number;
  /** True if a state was observed that contains the write of the claim and no other claim. */
  isConfirmed(slot: number, claimedBy: number): boolean;
  /** True if another live replica claims the slot. */
  isClaimedElsewhere(slot: number): boolean;
  readonly now: number;
}

/** The slots that changed. */
export interface SlotChange {
  readonly started: readonly number[];
  /** The milliseconds from the claim of each started slot that was claimed. */
  readonly waited: readonly number[];
  readonly draining: readonly number[];
  /** True if the Lease is to be written with other claims. */
  readonly publishes: boolean;
}

/** The state of each slot in this replica. */
export class SlotTable {
  readonly #states: SlotState[] = Array<SlotState>(SLOTS).fill('foreign');
  /** The number of the first write with the present claim. */
  readonly #claimedBy = Array<number>(SLOTS).fill(0);
  /** The time of the present claim. */
  readonly #claimedAt = Array<number>(SLOTS).fill(0);
  /** Counts the drains of each slot, so that the end of the runs of an earlier one has no effect. */
  readonly #drains = Array<number>(SLOTS).fill(0);
  /** The time since which no replica runs the slot; `undefined` for a slot with an owner. */
  readonly #unownedSince = Array<number | undefined>(SLOTS).fill(undefined);

  stateOf(slot: number): SlotState {
    return this.#states[slot] ?? 'foreign';
  }

  /** The number of slots in a state. */
  count(state: SlotState): number {
    let count = 0;
    for (const one of this.#states) if (one === state) count += 1;
    return count;
  }

  /** The number of slots that no replica has run for this many milliseconds. */
  unownedFor(milliseconds: number, now: number): number {
    const isLong = (since: number | undefined): boolean =>
      since !== undefined && now - since >= milliseconds;
    return this.#unownedSince.filter(isLong).length;
  }

  /** The slots that the own Lease claims. */
  claimed(): SlotSet {
    const slots = new SlotSet();
    for (const [slot, state] of this.#states.entries()) if (state !== 'foreign') slots.add(slot);
    return slots;
  }

  /** Makes the claims again, with the write of this number. */
  claimAgain(nextWrite: number): void {
    this.#claimedBy.fill(nextWrite);
  }

  /** Gives up all slots, whose runs have ended. */
  clear(): void {
    this.#states.fill('foreign');
  }

  /** Moves every slot by the rules. */
  follow(rules: SlotRules): SlotChange {
    const started: number[] = [];
    const waited: number[] = [];
    const draining: number[] = [];
    let publishes = false;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const before = this.#states[slot];
      this.#step(slot, rules.isMine(slot) ? 'want' : 'unwant');
      const claimed = this.#states[slot];
      if (before === 'foreign' && claimed === 'claimed') {
        this.#claimedBy[slot] = rules.nextWrite;
        this.#claimedAt[slot] = rules.now;
      }
      if (rules.isConfirmed(slot, this.#claimedBy[slot] ?? 0)) this.#step(slot, 'confirm');
      const after = this.#states[slot];
      if ((before === 'foreign') !== (after === 'foreign')) publishes = true;
      if (before !== 'owned' && after === 'owned') started.push(slot);
      if (before === 'claimed' && after === 'owned')
        waited.push(rules.now - (this.#claimedAt[slot] ?? rules.now));
      if (before !== 'draining' && after === 'draining') draining.push(slot);
      this.#watch(slot, rules);
    }
    return { started, waited, draining, publishes };
  }

  /**
   * Returns a function that ends the drain of one of these slots. It returns false if the drain was given up before.
   */
  drains(slots: readonly number[]): (slot: number) => boolean {
    const numbers = new Map(slots.map((slot) => [slot, (this.#drains[slot] ?? 0) + 1]));
    for (const [slot, drain] of numbers) this.#drains[slot] = drain;
    return (slot) => {
      if (this.#drains[slot] !== numbers.get(slot) || this.#states[slot] !== 'draining')
        return false;
      this.#step(slot, 'drain');
      return true;
    };
  }

  #step(slot: number, event: SlotEvent): void {
    this.#states[slot] = nextSlotState(this.#states[slot] ?? 'foreign', event);
  }

  #watch(slot: number, rules: SlotRules): void {
    const state = this.#states[slot];
    const hasOwner = state === 'owned' || state === 'draining' || rules.isClaimedElsewhere(slot);
    if (hasOwner) this.#unownedSince[slot] = undefined;
    else this.#unownedSince[slot] ??= rules.now;
  }
}
