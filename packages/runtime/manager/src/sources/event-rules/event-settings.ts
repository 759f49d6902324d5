import type { Debounce } from '@keelson/workqueue';
import { eventRateOf, type EventRate, type EventRateOptions } from '../../fights/event-rate.ts';
import { debounceOf, type DebounceOptions } from './debounce.ts';
import {
  checkPriorities,
  resolvePriorities,
  type RequestPriorities,
  type ResolvedPriorities,
} from './request-priorities.ts';

/**
 * Sets the priority, debounce and rate with which events lead to requests. A manager may set defaults for all
 * controllers.
 */
export interface EventDefaults {
  /**
   * The priorities of requests, by the kind of the event: for the initial list, for resyncs, for changes, for
   * deletions. Each missing one has its default.
   */
  readonly priorities?: RequestPriorities;
  /**
   * Delays the requests of events until the object is at rest: the run begins after `wait` without an event, and
   * `maxWait` after the first event at the latest. It also delays initial objects, resyncs, deletions and the values of
   * `sources`, but not retries, `requeueAfter` and `enqueue`. Default: no delay.
   */
  readonly debounce?: DebounceOptions;
  /**
   * Limits how often the changes of one object lead to a run, so that two controllers that overwrite each other do not
   * keep the API server busy. An event beyond the rate delays its requests to the next token, for `1 / perSecond` at
   * most; none is dropped. A warning then names the field managers. Initial objects, resyncs, retries, `requeueAfter`,
   * `enqueue` and the deletion of an object of `for` are not limited. `false` turns the limit off. Default
   * `{ burst: 100, perSecond: 1 }`.
   */
  readonly eventRate?: EventRateOptions | false;
}

/** The checked settings of `EventDefaults`. */
export interface EventSettings {
  readonly priorities: ResolvedPriorities;
  /** `undefined` for no debounce. */
  readonly debounce: Debounce | undefined;
  /** `undefined` for no limit. */
  readonly eventRate: EventRate | undefined;
}

export const eventDefaultNames: readonly string[] = ['priorities', 'debounce', 'eventRate'];

/** Resolves each setting: from the controller, else from the manager, else the default. Throws `INVALID_OPTION`. */
export function eventSettingsOf(
  own: EventDefaults,
  shared: EventDefaults,
  where: string,
): EventSettings {
  checkPriorities(own.priorities, `${where}.priorities`);
  const priorities = resolvePriorities(own.priorities, resolvePriorities(shared.priorities));
  const debounce = own.debounce === undefined ? shared.debounce : own.debounce;
  const eventRate = own.eventRate === undefined ? shared.eventRate : own.eventRate;
  return {
    priorities,
    debounce: debounceOf(debounce, `${where}.debounce`),
    eventRate: eventRateOf(eventRate === undefined ? {} : eventRate, `${where}.eventRate`),
  };
}

/** The debounce of a source: its own, else that of its controller. */
export function sourceDebounce(
  source: Pick<EventDefaults, 'debounce'>,
  shared: EventSettings,
): Debounce | undefined {
  return source.debounce === undefined ? shared.debounce : debounceOf(source.debounce, 'debounce');
}
