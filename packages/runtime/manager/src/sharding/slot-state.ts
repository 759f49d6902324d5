/**
 * - `foreign`: the own Lease does not claim the slot, or will not from the next write on. No request of it runs.
 * - `claimed`: the own Lease claims the slot, from the next write on. Another replica may still run it.
 * - `owned`: requests of the slot run.
 * - `draining`: another replica is to run the slot. No run begins; the running ones end. The own Lease claims the slot.
 */
export type SlotState = 'foreign' | 'claimed' | 'owned' | 'draining';

/**
 * - `want`, `unwant`: the ring assigns the slot to this replica, or to another one.
 * - `confirm`: a state of all Leases has the claim, and no other live claim.
 * - `drain`: the last run of the slot has ended.
 */
export type SlotEvent = 'want' | 'unwant' | 'confirm' | 'drain';

/** Every transition of a slot. Other events leave the state as it is. */
const transitions: Readonly<Record<SlotState, Partial<Readonly<Record<SlotEvent, SlotState>>>>> = {
  foreign: { want: 'claimed' },
  claimed: { unwant: 'foreign', confirm: 'owned' },
  owned: { unwant: 'draining' },
  // The claim was never given up, so the slot is owned again without a confirmation.
  draining: { want: 'owned', drain: 'foreign' },
};

/** Returns the state of a slot after an event. */
export function nextSlotState(state: SlotState, event: SlotEvent): SlotState {
  return transitions[state][event] ?? state;
}
