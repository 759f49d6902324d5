import { hostname } from 'node:os';
import {
  builtin,
  type Clock,
  type DeepReadonly,
  endsWithin,
  isNotFound,
  type KubernetesObject,
  type ObjectOf,
  systemClock,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { LRUCache } from 'lru-cache';
import { briefError } from '../logging/error-text.ts';
import { cutText } from './cut-text.ts';
import type { EventFacts, EventRecorder } from '../reconcile/event-recorder.ts';
import type { Logger } from '../logging/logger.ts';

type Event = ObjectOf<typeof builtin.EventsV1Event>;

/** An event, and how often it was recorded. */
interface EventSeries {
  readonly event: Event;
  count: number;
  lastObservedTime: string;
  /** The count that the API server has; 0 before the event is created. */
  writtenCount: number;
  queued: boolean;
}

export interface EventWriterOptions {
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly log: Logger;
  /** Throws for an object that the events of this writer must not be about. Default: any object. */
  readonly check?: (object: DeepReadonly<KubernetesObject>) => void;
  /** The id of the reconcile that records an event; `undefined` outside of reconciles. */
  readonly reconcileId?: () => string | undefined;
}

/** The annotation of an event with the id of the reconcile that recorded it first. */
const RECONCILE_ANNOTATION = 'keelson.dev/reconcile-id';

/** Milliseconds without a repetition after which a series ends (client-go's `finishTime`). */
const SERIES_LIFETIME_MS = 6 * 60_000;
/** The number of series that are kept for repetitions (client-go's `maxLruCacheEntries`). */
const KEPT_SERIES = 4096;
/** The number of events that may wait to be written; further events are dropped. */
const MAX_WAITING = 1000;
/** Milliseconds between two writes of a growing series. */
const SERIES_INTERVAL_MS = 10_000;

/** The API server's limit of `note`, in bytes. */
const MAX_NOTE_BYTES = 1024;
/** The API server's limit of `reason`, `action` and `reportingInstance`, in bytes. */
const MAX_NAME_BYTES = 128;

/** Milliseconds of a stop in which waiting events are written. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * Writes the events of a manager's controllers in one cluster, one after the other. Recording never waits and never
 * fails.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #clock: Clock;
  readonly #series = new LRUCache<string, EventSeries>({
    max: KEPT_SERIES,
    ttl: SERIES_LIFETIME_MS,
    updateAgeOnGet: true,
    // Reads the clock on every access; a cached time would need a timer, which would outlive the writer.
    ttlResolution: 0,
    // Called on `performance`, so that fake timers reach it.
    perf: { now: () => this.#clock.monotonic() },
  });
  readonly #waiting: EventSeries[] = [];
  readonly #grown = new Set<EventSeries>();
  readonly #stop = new AbortController();
  #stopTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;
  #serial = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Makes a recorder whose events have the controller's name as `reportingController`. */
  recorder(controller: string): EventRecorder {
    const reporter = {
      reportingController: controller,
      reportingInstance: cutText(`${controller}-${hostname()}`, MAX_NAME_BYTES),
    };
    return {
      record: (object, facts) => {
        try {
          this.#record(reporter, object, facts);
        } catch (error) {
          // An event must not fail the reconcile that records it.
          this.#options.log.error({ err: error, controller }, 'event is not recorded');
        }
      },
    };
  }

  /** Writes the waiting events for at most this many milliseconds, then drops the rest. */
  async close(grace: number): Promise<void> {
    this.#stopTimer?.();
    this.#queueGrown();
    const writing = this.#writing ?? Promise.resolve();
    const timeout = Math.min(grace, CLOSE_TIMEOUT_MS);
    if (timeout > 0) await endsWithin(writing, timeout);
    this.#stop.abort();
    await writing;
    this.#series.clear();
  }

  #record(
    reporter: Pick<Event, 'reportingController' | 'reportingInstance'>,
    object: DeepReadonly<KubernetesObject>,
    facts: EventFacts,
  ): void {
    if (this.#stop.signal.aborted) return;
    this.#options.check?.(object);
    if (facts.related !== undefined) this.#options.check?.(facts.related);
    const now = microTime(this.#clock);
    const event: Event = { ...this.#describe(object, facts, now), ...reporter };
    const key = keyOf(event);
    const known = this.#series.get(key);
    if (known === undefined) {
      const series = { event, count: 1, lastObservedTime: now, writtenCount: 0, queued: false };
      this.#series.set(key, series);
      this.#queue(series);
      return;
    }
    known.count += 1;
    known.lastObservedTime = now;
    if (known.count === 2) this.#queue(known);
    else this.#grow(known);
  }

  #describe(object: DeepReadonly<KubernetesObject>, facts: EventFacts, now: string): Event {
    const { type = 'Normal', reason, action, note, related } = facts;
    const { name = '', namespace } = object.metadata ?? {};
    this.#serial += 1;
    const reconcileId = this.#options.reconcileId?.();
    const suffix = `${this.#clock.now().toString(16)}${(this.#serial % 65_536).toString(16).padStart(4, '0')}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, 253 - suffix.length - 1)}.${suffix}`,
        // The API server accepts events about cluster-scoped objects only in the namespace `default`.
        namespace: namespace ?? 'default',
        ...(reconcileId !== undefined && { annotations: { [RECONCILE_ANNOTATION]: reconcileId } }),
      },
      eventTime: now,
      type,
      reason: cutText(reason, MAX_NAME_BYTES),
      action: cutText(action, MAX_NAME_BYTES),
      ...(note === undefined ? {} : { note: cutText(note, MAX_NOTE_BYTES) }),
      regarding: referenceTo(object),
      ...(related === undefined ? {} : { related: referenceTo(related) }),
    };
  }

  /** Writes the series at the end of the current interval, not at every repetition. */
  #grow(series: EventSeries): void {
    this.#grown.add(series);
    this.#stopTimer ??= this.#clock.startTimer(SERIES_INTERVAL_MS, () => {
      this.#stopTimer = undefined;
      this.#queueGrown();
    });
  }

  #queueGrown(): void {
    for (const series of this.#grown) this.#queue(series);
    this.#grown.clear();
  }

  #queue(series: EventSeries): void {
    if (series.queued) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#report(new Error('too many events wait'), series);
      return;
    }
    series.queued = true;
    this.#waiting.push(series);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Yields first, so that the reconcile does not wait while a request is built.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.queued = false;
      // One at a time, because events must not compete with reconciles for connections.
      if (!this.#stop.signal.aborted) await this.#tryToWrite(next);
    }
    this.#writing = undefined;
  }

  async #tryToWrite(series: EventSeries): Promise<void> {
    try {
      await this.#write(series);
      this.#failing = false;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#report(error, series);
    }
  }

  async #write(series: EventSeries): Promise<void> {
    const { count, lastObservedTime } = series;
    if (series.writtenCount > 0 && (await this.#tryToExtend(series))) return;
    const { signal } = this.#stop;
    const extended = count === 1 ? {} : { series: { count, lastObservedTime } };
    const event = { ...series.event, ...extended };
    await this.#options.client.create(builtin.EventsV1Event, event, { signal });
    series.writtenCount = count;
  }

  /** Returns false if the API server has deleted the event, by default after one hour. */
  async #tryToExtend(series: EventSeries): Promise<boolean> {
    const { count, lastObservedTime, event } = series;
    const { name = '', namespace } = event.metadata ?? {};
    const body = { series: { count, lastObservedTime } };
    const { signal } = this.#stop;
    try {
      await this.#options.client.patch(
        builtin.EventsV1Event,
        { name, namespace },
        { type: 'merge', body },
        { signal },
      );
      series.writtenCount = count;
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Logs the first failure since the last success, because a missing permission would otherwise fill the log. */
  #report(error: unknown, { event }: EventSeries): void {
    const { reason, regarding } = event;
    if (!this.#failing) {
      const facts = { err: briefError(error), reason, regarding };
      this.#options.log.warn(facts, 'events cannot be written');
    }
    this.#failing = true;
  }
}

function referenceTo(object: DeepReadonly<KubernetesObject>): NonNullable<Event['regarding']> {
  const { apiVersion, kind, metadata = {} } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return JSON.parse(
    JSON.stringify({ apiVersion, kind, name, namespace, uid, resourceVersion }),
  ) as NonNullable<Event['regarding']>;
}

/** The identity of a series, as client-go's `eventKey`: events with different notes belong together. */
function keyOf({ type, reason, action, reportingController, regarding, related }: Event): string {
  const { resourceVersion: _version, ...about } = regarding ?? {};
  return JSON.stringify([type, reason, action, reportingController, about, related?.uid]);
}

/** The current time as a `MicroTime`: RFC 3339 with microseconds. */
function microTime(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z');
}
