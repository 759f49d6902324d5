import { systemClock, type Clock, type ObjectKey } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { LRUCache } from 'lru-cache';
import type { LogFacts, Logger } from '../logging/logger.ts';
import type { EventRate } from './event-rate.ts';
import { readOwnership, type ObjectStates, type OwnershipReading } from './read-ownership.ts';

/** Counts the delayed events of a controller, and the pairs of field managers that overwrite each other. */
export interface FightObserver {
  /** An event was delayed. */
  eventDelayed(): void;
  /** Two field managers overwrite each other in one object. */
  fieldManagersFight(managers: readonly [string, string]): void;
}

export interface FightWatchOptions {
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  readonly log: Logger;
  readonly observer: FightObserver;
  /** The client of a cluster; `undefined` is the main one. Throws `UNKNOWN_CLUSTER`. */
  readonly clientOf: (cluster: string | undefined) => Pick<Client, 'watch'>;
}

/** A request whose event was delayed. */
export interface DelayedRequest {
  /** The name of the source. */
  readonly source: string;
  /** The key of the request; `undefined` if its source was removed. */
  readonly request: string | undefined;
  readonly rate: EventRate;
}

/** An object whose event was delayed. */
export interface DelayedObject extends DelayedRequest {
  readonly object: ObjectKey;
  readonly states: ObjectStates;
  /** Aborts when the source of the object is removed, and the controller with it. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two reports about one object. */
const PERIOD_MS = 600_000;
/** The number of objects whose last report is remembered. */
const MAX_REMEMBERED = 1000;
/** The number of reports that may begin in each minute. */
const MAX_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/**
 * Reports the objects of one controller whose events are delayed: one warning for each object and period. It reads the
 * managed fields of the object to name the field managers. The numbers of requests, reports and remembered objects are
 * bounded. Objects beyond the bounds are delayed without a report.
 */
export class FightWatch {
  /** The clock of the rates of events, and of the reports. */
  readonly clock: Clock;
  readonly #options: FightWatchOptions;
  /**
   * The objects and requests that were reported in this period. Created at the first report, because it takes 40 KB.
   */
  #reported: LRUCache<string, true> | undefined;
  /** The times at which the latest reports began. */
  readonly #times: number[] = [];

  constructor(options: FightWatchOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
  }

  get clientOf(): FightWatchOptions['clientOf'] {
    return this.#options.clientOf;
  }

  /** Reports a delayed value of a source that has no objects. */
  requestDelayed(delayed: DelayedRequest): void {
    this.#options.observer.eventDelayed();
    if (!this.#mayReport(`${delayed.source}\n${delayed.request}`)) return;
    this.#options.log.warn(factsOf(delayed), 'source yields a request too often');
  }

  /** Reports a delayed event of an object. */
  objectDelayed(delayed: DelayedObject): void {
    this.#options.observer.eventDelayed();
    if (this.#mayReport(`${delayed.source}\n${delayed.object}`)) void this.#inspect(delayed);
  }

  async #inspect(delayed: DelayedObject): Promise<void> {
    const { states, signal } = delayed;
    const reading = await readOwnership(states, signal, this.clock);
    if (!signal.aborted) this.#report(delayed, reading);
  }

  /** True if a report about this object or request may begin now. */
  #mayReport(id: string): boolean {
    if (this.#reported?.has(id) === true) return false;
    const now = this.clock.monotonic();
    const [first = -Infinity] = this.#times;
    if (this.#times.length === MAX_PER_MINUTE) {
      if (now - first < MINUTE_MS) return false;
      this.#times.shift();
    }
    this.#times.push(now);
    this.#reported ??= new LRUCache({
      max: MAX_REMEMBERED,
      ttl: PERIOD_MS,
      // Reads the clock on every access; a cached time would need a timer.
      ttlResolution: 0,
      perf: { now: () => this.clock.monotonic() },
    });
    this.#reported.set(id, true);
    return true;
  }

  #report(delayed: DelayedObject, { ownership, error }: OwnershipReading): void {
    const { log, observer } = this.#options;
    const { contest, latest } = ownership;
    const facts = { ...factsOf(delayed), object: delayed.object };
    if (error !== undefined) log.debug({ ...facts, err: error }, 'managed fields not readable');
    if (contest === undefined) {
      log.warn({ ...facts, fieldManagers: latest }, 'object changes too often');
      return;
    }
    const { managers, fields } = contest;
    observer.fieldManagersFight(managers);
    log.warn({ ...facts, fieldManagers: managers, fields }, 'field managers overwrite each other');
  }
}

function factsOf({ source, request, rate: { burst, perSecond } }: DelayedRequest): LogFacts {
  return { source, request, burst, perSecond };
}
