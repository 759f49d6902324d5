import { systemClock, type Clock } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import { DroppedEvents, type Drop } from './dropped-events.ts';
import { EventColumns, type QueuedAdd } from './event-columns.ts';
import { LruMap } from './lru-map.ts';
import { CALL_BYTES, RUN_BYTES, type RecordedRun } from './recorded-run.ts';
import { RequestHistory } from './request-history.ts';

/** The latest events and runs of a request that are kept. */
const MAX_EVENTS = 8;
const MAX_RUNS = 4;
/** The share of the memory that the dropped events may take. */
const DROPPED_SHARE = 0.25;

/** Estimates of the bytes of a request without events, and of an event. */
const REQUEST_BYTES = 250;
const EVENT_BYTES = 110;

/** The facts of a queue about a request that a worker took. */
interface TakenWork {
  readonly priority: number;
  readonly queuedMs: number;
  readonly causes: readonly QueuedCause[];
  /** A reading of the controller's clock. */
  readonly startedAt: number;
}

/**
 * What happened to the requests of one controller, for `explain`: their latest events and runs, and the latest events
 * that led to no request. The memory is bounded; the requests that ran or were queued for the first time longest ago
 * are forgotten first.
 */
export class History {
  readonly dropped: DroppedEvents;
  readonly #columns = new EventColumns();
  readonly #requests = new LruMap<RequestHistory>();
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;
  /** The time and the request of the latest event. */
  #queuedAt = NaN;
  #queuedKey = '';

  constructor(maxBytes: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#maxBytes = maxBytes * (1 - DROPPED_SHARE);
    this.dropped = new DroppedEvents(maxBytes * DROPPED_SHARE);
  }

  /** The bytes in use, estimated. */
  get bytes(): number {
    return this.#bytes + this.dropped.bytes;
  }

  /** The number of requests with a history. */
  get size(): number {
    return this.#requests.size;
  }

  /** All requests; those that are forgotten first come first. */
  all(): RequestHistory[] {
    return this.#requests.latestFirst().toReversed();
  }

  of(key: string): RequestHistory | undefined {
    return this.#requests.get(key);
  }

  /** Records the event, or another cause, that queued a request at this reading of `performance.now()`. */
  queued(key: string, add: QueuedAdd, event: InformerEvent | undefined, now: number): void {
    // The mapper of an update is called for both of its states, which usually lead to one request.
    if (now === this.#queuedAt && key === this.#queuedKey) return;
    this.#queuedAt = now;
    this.#queuedKey = key;
    const request = this.#requests.get(key) ?? this.#create(key);
    const at = this.#clock === systemClock ? now : this.#clock.monotonic();
    this.#columns.write(this.#slotOf(request), add, event, at);
  }

  /** Records an event that led to no request. */
  drop(source: CauseSet, event: InformerEvent, drop: Drop): void {
    const at = this.#timeOf(drop.at);
    this.dropped.add(source, event, at === drop.at ? drop : { ...drop, at });
  }

  /** Records that the queue dropped a request without a run. */
  purged(key: string, at: number): void {
    const request = this.#requests.get(key);
    if (request !== undefined) request.purgedAt = this.#timeOf(at);
  }

  /** Records the begin of a run. The caller completes the record, and calls `ended`. */
  began(key: string, attempt: number, work: TakenWork): RecordedRun {
    const { priority, queuedMs, causes, startedAt } = work;
    const request = this.#requests.get(key) ?? this.#create(key);
    this.#requests.makeLast(request);
    const run: RecordedRun = {
      startedAt,
      attempt,
      priority,
      queuedMs,
      causes,
      calls: undefined,
      callCount: 0,
      decision: undefined,
      error: undefined,
      duration: undefined,
      reconcileId: undefined,
      bytes: 0,
      earlier: request.latestRun,
    };
    request.latestRun = run;
    return run;
  }

  /** Records the end of a run. */
  ended(key: string, run: RecordedRun, duration: number): void {
    run.duration = duration;
    const request = this.#requests.get(key);
    // The request may have been forgotten meanwhile, and run again.
    if (request?.latestRun !== run) return;
    const { calls, error, earlier } = run;
    run.bytes = RUN_BYTES + (calls?.length ?? 0) * CALL_BYTES + (error?.message.length ?? 0);
    const bytes = earlier === undefined ? run.bytes : run.bytes - forgottenBytes(run);
    request.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#forgetOldest();
  }

  /** Returns the time of a record by the controller's clock. `now` is a reading of the system's clock. */
  #timeOf(now: number): number {
    return this.#clock === systemClock ? now : this.#clock.monotonic();
  }

  /**
   * The slot of the next event of a request. A request with events replaces its oldest one when it has many, and when
   * the memory is full: an object that changes without end must not displace the others.
   */
  #slotOf(request: RequestHistory): number {
    const { latest, oldest, eventCount } = request;
    const isFull = eventCount > 0 && this.#bytes + EVENT_BYTES > this.#maxBytes;
    if (isFull || eventCount === MAX_EVENTS) {
      // The list is a ring.
      request.latest = oldest;
      request.oldest = this.#columns.next(oldest);
      return oldest;
    }
    const slot = this.#columns.take();
    request.eventCount += 1;
    request.latest = slot;
    if (eventCount === 0) request.oldest = slot;
    else this.#columns.link(latest, slot);
    this.#columns.link(slot, request.oldest);
    request.bytes += EVENT_BYTES;
    this.#bytes += EVENT_BYTES;
    return slot;
  }

  #create(key: string): RequestHistory {
    const request = new RequestHistory(key, this.#columns);
    request.bytes = REQUEST_BYTES;
    this.#bytes += REQUEST_BYTES;
    this.#requests.add(request);
    this.#forgetOldest();
    return request;
  }

  /** Forgets the oldest requests beyond the limit, but not the latest one. */
  #forgetOldest(): void {
    while (this.#bytes + EVENT_BYTES > this.#maxBytes) {
      if (this.#requests.size <= 1) return;
      const forgotten = this.#requests.removeFirst();
      if (forgotten === undefined) return;
      this.#forget(forgotten);
    }
  }

  #forget(request: RequestHistory): void {
    request.latestRun = undefined;
    this.#bytes -= request.bytes;
    let slot = request.oldest;
    for (let index = 0; index < request.eventCount; index += 1) {
      const next = this.#columns.next(slot);
      this.#columns.free(slot);
      slot = next;
    }
  }
}

/** Cuts the list of runs behind the latest ones. Returns the bytes of those that are forgotten. */
function forgottenBytes(latest: RecordedRun): number {
  let last: RecordedRun | undefined = latest;
  for (let kept = 1; kept < MAX_RUNS; kept += 1) last = last?.earlier;
  const forgotten = last?.earlier;
  if (last === undefined || forgotten === undefined) return 0;
  last.earlier = undefined;
  return forgotten.bytes;
}
