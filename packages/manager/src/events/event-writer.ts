import { hostname } from 'node:os';
import {
  builtin,
  type DeepReadonly,
  endsWithin,
  isNotFound,
  type KubernetesObject,
  type ObjectOf,
  startTimer,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { LRUCache } from 'lru-cache';
import { briefError } from '../logging/error-text.ts';
import { cutText } from './cut-text.ts';
import type { EventFacts, EventRecorder } from '../reconcile/event-recorder.ts';
import type { Logger } from '../logging/logger.ts';

type Event = ObjectOf<typeof builtin.EventsV1Event>;

/** A recorded event and the count of its series. */
interface Series {
  readonly event: Event;
  count: number;
  lastObservedTime: string;
  /** What the server knows; 0 before it was created. */
  writtenCount: number;
  queued: boolean;
}

export interface EventWriterOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly log: Logger;
}

/** After this long without a repeat an event is a new one (client-go's `finishTime`). */
const seriesLifetime = 6 * 60_000;
/** How many events are remembered for their repeats (client-go's `maxLruCacheEntries`). */
const rememberedSeries = 4096;
/** How many events may wait for the API; further ones are dropped. */
const mostWaiting = 1000;
/** The shortest time between two writes of a series. */
const SERIES_INTERVAL_MS = 10_000;

/** Bounds of the API server, in bytes: of the note, and of the other texts. */
const maxNoteBytes = 1024;
const maxNameBytes = 128;

/** The part of a stop in which waiting events are still written. */
const CLOSE_PATIENCE_MS = 2000;

/** Writes the events of a manager's controllers, one after the other, whatever the API does. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #series = new LRUCache<string, Series>({
    max: rememberedSeries,
    ttl: seriesLifetime,
    updateAgeOnGet: true,
    // Looks at the clock each time: a timer would outlive the writer.
    ttlResolution: 0,
    // Never destructured, so that a test can advance it.
    perf: { now: () => performance.now() },
  });
  readonly #waiting: Series[] = [];
  readonly #grown = new Set<Series>();
  readonly #stop = new AbortController();
  #stopTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;
  #serial = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** A recorder whose events carry the name of the controller. */
  recorder(controller: string): EventRecorder {
    const reporter = {
      reportingController: controller,
      reportingInstance: cutText(`${controller}-${hostname()}`, maxNameBytes),
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

  /** Writes what waits, then ends; tries for so many milliseconds at most. */
  async close(grace: number): Promise<void> {
    this.#stopTimer?.();
    this.#queueGrown();
    const writing = this.#writing ?? Promise.resolve();
    const patience = Math.min(grace, CLOSE_PATIENCE_MS);
    if (patience > 0) await endsWithin(writing, patience);
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
    const now = microTime();
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
    const suffix = `${Date.now().toString(16)}${(this.#serial % 65_536).toString(16).padStart(4, '0')}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, 253 - suffix.length - 1)}.${suffix}`,
        // Events are namespaced; those about cluster-scoped objects live in `default`, as everywhere.
        namespace: namespace ?? 'default',
      },
      eventTime: now,
      type,
      reason: cutText(reason, maxNameBytes),
      action: cutText(action, maxNameBytes),
      ...(note === undefined ? {} : { note: cutText(note, maxNoteBytes) }),
      regarding: referenceTo(object),
      ...(related === undefined ? {} : { related: referenceTo(related) }),
    };
  }

  /** Writes a series at an interval, not at every repeat. */
  #grow(series: Series): void {
    this.#grown.add(series);
    this.#stopTimer ??= startTimer(SERIES_INTERVAL_MS, () => {
      this.#stopTimer = undefined;
      this.#queueGrown();
    });
  }

  #queueGrown(): void {
    for (const series of this.#grown) this.#queue(series);
    this.#grown.clear();
  }

  #queue(series: Series): void {
    if (series.queued) return;
    if (this.#waiting.length >= mostWaiting) {
      this.#report(new Error('too many events wait'), series);
      return;
    }
    series.queued = true;
    this.#waiting.push(series);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Yields first, so that the reconcile never waits for a request to be built.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.queued = false;
      // Sequential on purpose: events must not compete with the reconciles for connections.
      if (!this.#stop.signal.aborted) await this.#tryToWrite(next);
    }
    this.#writing = undefined;
  }

  async #tryToWrite(series: Series): Promise<void> {
    try {
      await this.#write(series);
      this.#failing = false;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#report(error, series);
    }
  }

  async #write(series: Series): Promise<void> {
    const { count, lastObservedTime } = series;
    if (series.writtenCount > 0 && (await this.#tryToExtend(series))) return;
    const { signal } = this.#stop;
    const extended = count === 1 ? {} : { series: { count, lastObservedTime } };
    const event = { ...series.event, ...extended };
    await this.#options.client.create(builtin.EventsV1Event, event, { signal });
    series.writtenCount = count;
  }

  /** False if the event is gone (events are kept for an hour or so). */
  async #tryToExtend(series: Series): Promise<boolean> {
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

  /** Once until the next success: a missing permission would else fill the log. */
  #report(error: unknown, { event }: Series): void {
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

/** What makes two events the same (client-go's `eventKey`); the note may differ. */
function keyOf({ type, reason, action, reportingController, regarding, related }: Event): string {
  const { resourceVersion: _version, ...about } = regarding ?? {};
  return JSON.stringify([type, reason, action, reportingController, about, related?.uid]);
}

/** RFC 3339 with microseconds: what `MicroTime` wants. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
