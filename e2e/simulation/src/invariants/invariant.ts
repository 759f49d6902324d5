/** What must hold in every run, in one sentence each. */
export const invariants = {
  order: 'Per key, a handler sees states in the order of the server, and none twice.',
  pairs:
    'A handler sees `updated` or `deleted` only for an object that it has seen `added`, and one `deleted` for each.',
  previous: 'The previous state of an update is the last state that the handler has seen.',
  'store first': 'A handler that reads the store sees the state of its event or a newer one.',
  uid: 'An object that was deleted and created again is `deleted`, then `added`, and never `updated`.',
  snapshot: 'A late handler receives every existing object before it counts as synced.',
  'atomic store': 'A store shows the state of the server at one time, and never goes back.',
  'own writes':
    'A read shows each own write from its response on, no state before it, and none after its object is gone.',
  'own events':
    'The event of an own write that shows no other change leads to no request of a source that ignores own events.',
  waits:
    'A wait receives each state once, and ends with the first one for which its condition holds.',
  resync:
    'A handler with resync is called again for every object after each interval, and no other handler is.',
  release: 'After a release no handler of the handle runs.',
  'one watch': 'No two watches of the cache have the same query.',
  pace: 'No request is repeated without a pause.',
  reads:
    'A read returns what the handles of the reader have, or the error that says what is missing.',
  convergence: 'When the faults have ended, every store and every handler equals the server.',
  'one run': 'A request is reconciled by at most one worker at a time.',
  'wake-up': 'Every change is reconciled: the last run of a request has seen the last state.',
  ownership: 'A request runs only if a source that was not removed requested it.',
  removal: 'After a removal no mapper and no run of the watch is left.',
  backoff:
    'A request that failed runs at most once before the end of its backoff, and only if it is requested.',
  leader: 'No reconcile begins and no controller writes unless the manager is the leader.',
  start: 'No run starts before every required watch of its controller has synced.',
  closed: 'At the end no handle, request, timer or queue entry is left.',
  defect: 'No code of Keelson fails unexpectedly.',
} as const;

/** The name of an invariant. */
export type Invariant = keyof typeof invariants;

/** Receives the name of a broken invariant, and how it is broken. */
export type Report = (invariant: Invariant, facts: string) => void;

/** An invariant that a run broke, and how. */
export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, facts: string) {
    super(`${invariants[invariant]}\n  Broken: ${facts}`);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}
