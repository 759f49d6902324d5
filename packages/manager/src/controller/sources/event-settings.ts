import {
  checkPriorities,
  resolvePriorities,
  type RequestPriorities,
  type ResolvedPriorities,
} from './request-priorities.ts';

/** How the events of sources lead to requests. A manager may set defaults for all controllers. */
export interface EventDefaults {
  /**
   * The priorities of requests, by the kind of the event: for the initial list, for resyncs, for changes, for deletions.
   * Each missing one has its default.
   */
  readonly priorities?: RequestPriorities;
}

/** The checked settings of `EventDefaults`. */
export interface EventSettings {
  readonly priorities: ResolvedPriorities;
}

export const eventDefaultNames: readonly string[] = ['priorities'];

/** Resolves each setting: from the controller, else from the manager, else the default. Throws `INVALID_OPTION`. */
export function eventSettingsOf(
  own: EventDefaults,
  shared: EventDefaults,
  where: string,
): EventSettings {
  checkPriorities(own.priorities, `${where}.priorities`);
  const priorities = resolvePriorities(own.priorities, resolvePriorities(shared.priorities));
  return { priorities };
}
