import type { RecordedEvent, RequestHistory } from './history.ts';
import type { PurgeReason } from './purge.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * The decision of the queue about a request that an event queued.
 *
 * - `run`: a run began for it.
 * - `superseded`: a later event queued the request again before a run began. One run follows for both.
 * - `waiting`: no run has begun since.
 * - `purged`: the queue dropped the request without a run.
 */
export type EventDecision = 'run' | 'superseded' | 'waiting' | 'purged';

/** An event with the decision of the queue about its request. */
export interface DecidedEvent extends RecordedEvent {
  /** `undefined` if the run of the event is forgotten. */
  readonly decision: EventDecision | undefined;
  /** A reading of the controller's clock: the start of the run for the event. `undefined` without a known run. */
  readonly ranAt: number | undefined;
  /** Why the queue dropped the request. `undefined` unless the decision is `purged`. */
  readonly purgedFor: PurgeReason | undefined;
}

type Decided = Omit<DecidedEvent, keyof RecordedEvent>;

/**
 * The latest events of a request, oldest first, each with the decision of the queue. It is derived from the numbers of the
 * events, so that no event pays for it when it arrives.
 */
export function decidedEvents(request: RequestHistory): DecidedEvent[] {
  const { runs } = request;
  const events = request.events();
  const first = request.totalEvents - events.length;
  return events.map((event, index) => ({ ...event, ...decisionOf(first + index, request, runs) }));
}

function decisionOf(
  event: number,
  { purge, totalEvents, takenEvents }: RequestHistory,
  runs: readonly RecordedRun[],
): Decided {
  if (event >= takenEvents) return decided(event + 1 === totalEvents ? 'waiting' : 'superseded');
  const run = runs.find(({ firstEvent, endEvent }) => event >= firstEvent && event < endEvent);
  if (run !== undefined) {
    return decided(event + 1 === run.endEvent ? 'run' : 'superseded', run.startedAt);
  }
  const isPurged = purge !== undefined && event >= purge.firstEvent && event < purge.endEvent;
  return isPurged ? decided('purged', undefined, purge.reason) : decided(undefined);
}

function decided(
  decision: EventDecision | undefined,
  ranAt?: number,
  purgedFor?: PurgeReason,
): Decided {
  return { decision, ranAt, purgedFor };
}

/**
 * True if an earlier run replaced the one for which a run waited. `next` is the start of the run after it, or else the
 * time at which the request is queued; `undefined` if no run follows.
 */
export function isSuperseded({ nextAt }: RecordedRun, next: number | undefined): boolean {
  return nextAt !== undefined && next !== undefined && next < nextAt;
}
