import { type Clock, systemClock } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import type { CauseSet, QueuedCause } from '../reconcile/cause.ts';
import { type Drop, DroppedEvents } from './dropped-events.ts';
import { type LruEntry, LruMap } from './lru-map.ts';
import type { Purge, PurgeReason } from './purge.ts';
import { CALL_BYTES, type RecordedRun, RUN_BYTES } from './recorded-run.ts';

/** The latest events and runs of a request that are kept. */
const MAX_EVENTS = 8;
const MAX_RUNS = 4;
/** The share of the memory that the dropped events may take. */
const DROPPED_SHARE = 0.25;
/** The share of the memory that the waiting events may take, and the most of them: their records fit into the first caches. */
const WAITING_SHARE = 1 / 32;
const MAX_WAITING = 256;

/** Estimates of the bytes of a request without its key and events, and of an event. */
const REQUEST_BYTES = 250;
const EVENT_BYTES = 110;
/** An estimate of the bytes of a waiting event with the strings that only it keeps. */
const WAITING_BYTES = 200;

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
  /**
   * The first of these records are the latest events, which their requests do not have yet. They are added to their requests
   * together: the memory of many requests, touched between the other work of each event, makes that work slower.
   */
  readonly #waiting: WaitingEvent[] = [];
  readonly #maxWaiting: number;
  #waitingCount = 0;
  readonly #requests = new LruMap<RequestHistory>();
  /** A forgotten request, whose object the next new one takes: a full memory then makes no garbage. */
  #spare: RequestHistory | undefined;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;
  /** The time and the request of the latest event. */
  #queuedAt = NaN;
  #queuedKey = '';

  constructor(maxBytes: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#maxBytes = maxBytes * (1 - DROPPED_SHARE - WAITING_SHARE);
    const fitting = Math.floor((maxBytes * WAITING_SHARE) / WAITING_BYTES);
    this.#maxWaiting = Math.min(Math.max(1, fitting), MAX_WAITING);
    this.dropped = new DroppedEvents(maxBytes * DROPPED_SHARE);
  }

  /** The bytes in use, estimated. */
  get bytes(): number {
    this.#addWaiting();
    return this.#bytes + this.dropped.bytes;
  }

  /** The number of requests with a history. */
  get size(): number {
    this.#addWaiting();
    return this.#requests.size;
  }

  /** All requests; those that are forgotten first come first. */
  all(): RequestHistory[] {
    this.#addWaiting();
    return this.#requests.latestFirst().toReversed();
  }

  of(key: string): RequestHistory | undefined {
    this.#addWaiting();
    return this.#requests.get(key);
  }

  /** Records the event, or another cause, that queued a request at this reading of `performance.now()`. */
  queued(key: string, add: QueuedAdd, event: InformerEvent | undefined, now: number): void {
    const isRepeated = now === this.#queuedAt;
    if (isRepeated && key === this.#queuedKey) return;
    this.#queuedAt = now;
    this.#queuedKey = key;
    const waiting = (this.#waiting[this.#waitingCount] ??= new WaitingEvent());
    waiting.key = key;
    waiting.isRepeated = isRepeated;
    waiting.at = this.#clock === systemClock ? now : this.#clock.monotonic();
    waiting.priority = add.priority;
    waiting.delay = add.after ?? -(add.debounce?.wait ?? 0);
    waiting.cause = add.cause;
    waiting.object = event?.key;
    waiting.before = event?.type === 'updated' ? event.previous.resourceVersion : undefined;
    waiting.after = event?.object.resourceVersion;
    this.#waitingCount += 1;
    if (this.#waitingCount === this.#maxWaiting) this.#addWaiting();
  }

  /** Records an event that led to no request. */
  drop(source: CauseSet, event: InformerEvent, drop: Drop): void {
    const at = this.#timeOf(drop.at);
    this.dropped.add(source, event, at === drop.at ? drop : { ...drop, at });
  }

  /** Records that the queue dropped a request without a run. */
  purged(key: string, reason: PurgeReason, at: number): void {
    this.#addWaiting();
    const request = this.#requests.get(key);
    if (request === undefined) return;
    const { takenEvents: firstEvent, totalEvents: endEvent } = request;
    request.takenEvents = endEvent;
    request.purge = { at: this.#timeOf(at), reason, firstEvent, endEvent };
  }

  /** Records the start of a run. The caller completes the record, and calls `ended`. */
  began(key: string, attempt: number, work: TakenWork): RecordedRun {
    const { priority, queuedMs, causes, startedAt } = work;
    this.#addWaiting();
    const request = this.#requests.get(key) ?? this.#create(key);
    this.#requests.makeLast(request);
    const { takenEvents: firstEvent, totalEvents: endEvent } = request;
    request.takenEvents = endEvent;
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
      nextAt: undefined,
      firstEvent,
      endEvent,
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
    const { calls, error } = run;
    run.bytes = RUN_BYTES + (calls?.length ?? 0) * CALL_BYTES + (error?.message.length ?? 0);
    // Only the latest runs are kept.
    let oldest: RecordedRun | undefined = run;
    for (let kept = 1; kept < MAX_RUNS; kept += 1) oldest = oldest?.earlier;
    const bytes = run.bytes - (oldest?.earlier?.bytes ?? 0);
    if (oldest !== undefined) oldest.earlier = undefined;
    request.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#forgetOldest();
  }

  /** Returns the time of a record by the controller's clock. `now` is a reading of the system's clock. */
  #timeOf(now: number): number {
    return this.#clock === systemClock ? now : this.#clock.monotonic();
  }

  /** Adds the waiting events to their requests. */
  #addWaiting(): void {
    const count = this.#waitingCount;
    this.#waitingCount = 0;
    for (let index = 0; index < count; index += 1) {
      const waiting = this.#waiting[index] as WaitingEvent;
      const request = this.#requests.get(waiting.key) ?? this.#create(waiting.key);
      // The mapper of an update is called for both of its states, which usually lead to the same requests.
      if (waiting.isRepeated && this.#columns.has(request, waiting)) continue;
      const isFull = this.#bytes + EVENT_BYTES > this.#maxBytes;
      this.#bytes += this.#columns.add(request, waiting, isFull);
    }
  }

  #create(key: string): RequestHistory {
    const request = this.#spare ?? new RequestHistory(this.#columns);
    this.#spare = undefined;
    request.key = key;
    request.bytes = REQUEST_BYTES + key.length;
    this.#bytes += request.bytes;
    this.#requests.add(request);
    if (this.#bytes + EVENT_BYTES > this.#maxBytes) this.#forgetOldest();
    return request;
  }

  /** Forgets the oldest requests beyond the limit. The latest one is kept without its former runs and its API calls. */
  #forgetOldest(): void {
    while (this.#bytes + EVENT_BYTES > this.#maxBytes) {
      if (this.#requests.size <= 1) return this.#shortenLatest();
      const forgotten = this.#requests.removeFirst();
      if (forgotten === undefined) return;
      this.#forget(forgotten);
    }
  }

  #shortenLatest(): void {
    const [request] = this.#requests.latestFirst();
    const run = request?.latestRun;
    if (request === undefined || run === undefined) return;
    let bytes = 0;
    for (let { earlier } = run; earlier !== undefined; { earlier } = earlier)
      bytes += earlier.bytes;
    run.earlier = undefined;
    const ofCalls = (run.calls?.length ?? 0) * CALL_BYTES;
    if (run.bytes > ofCalls) {
      run.calls = undefined;
      run.bytes -= ofCalls;
      bytes += ofCalls;
    }
    request.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #forget(request: RequestHistory): void {
    this.#bytes -= request.bytes;
    let slot = request.oldest;
    for (let index = 0; index < request.eventCount; index += 1) {
      const next = this.#columns.nextSlot[slot] ?? NO_SLOT;
      this.#columns.free(slot);
      slot = next;
    }
    request.clear();
    this.#spare = request;
  }
}

/** An event that queued a request, as the history keeps it. */
export interface RecordedEvent {
  /** A reading of the controller's clock. */
  readonly at: number;
  readonly cause: QueuedCause;
  /** The key of the object; `undefined` for a request that no object caused. */
  readonly object: string | undefined;
  /** The resourceVersion before the event; `undefined` for an event that is not an update. */
  readonly before: string | undefined;
  /** The resourceVersion after the event. */
  readonly after: string | undefined;
  readonly priority: number;
  /** Milliseconds by which the request was delayed; 0 for none. */
  readonly delay: number;
  /** The option that delayed it: `after` is that of `enqueue`. `undefined` without a delay. */
  readonly delayedBy: DelayReason | undefined;
}

/** The options that delay a request of an event. */
export type DelayReason = 'debounce' | 'eventRate' | 'after';

/** The add to a queue that an event led to. */
interface QueuedAdd {
  readonly cause: QueuedCause;
  readonly priority: number;
  readonly debounce?: { readonly wait: number } | undefined;
  /** Milliseconds. */
  readonly after?: number | undefined;
}

/** An event that its request does not have yet. Later events use the object again. */
class WaitingEvent {
  key = '';
  /** True if it came at the same time as the event before it. */
  isRepeated = false;
  /** A double also before the first event, so that V8 does not change the shape of the objects. */
  at: number = NaN;
  priority = 0;
  /** Negative for a debounce. */
  delay = 0;
  cause: QueuedCause | undefined = undefined;
  object: string | undefined = undefined;
  before: string | undefined = undefined;
  after: string | undefined = undefined;
}

/** The slot of no event. */
const NO_SLOT = -1;
/** The slots of the first columns. Full columns are doubled. */
const FIRST_SLOTS = 64;

/**
 * Events in columns, one list for each member: an event takes a slot and creates no object, because events come far
 * more often than they are read.
 */
class EventColumns {
  readonly #causes: (QueuedCause | undefined)[] = [];
  readonly #objects: (string | undefined)[] = [];
  readonly #before: (string | undefined)[] = [];
  readonly #after: (string | undefined)[] = [];
  #times = new Float64Array(FIRST_SLOTS);
  #priorities = new Float64Array(FIRST_SLOTS);
  /** Negative for a debounce, so that the reason needs no column of its own. */
  #delays = new Float64Array(FIRST_SLOTS);
  /** The slot of the next event of the same request, or the next free slot. Only this class replaces the array. */
  nextSlot: Int32Array = new Int32Array(FIRST_SLOTS);
  #firstFree = NO_SLOT;
  /** The number of slots that were used once. */
  #used = 0;

  /** Frees a slot, and drops its references. */
  free(slot: number): void {
    this.#causes[slot] = undefined;
    this.#objects[slot] = undefined;
    this.#before[slot] = undefined;
    this.#after[slot] = undefined;
    this.nextSlot[slot] = this.#firstFree;
    this.#firstFree = slot;
  }

  /**
   * Adds an event to a request. A request with events replaces its oldest one when it has many, and when the memory is
   * full: an object that changes without end must not displace the others. Returns the bytes by which it has grown.
   */
  add(request: RequestHistory, event: WaitingEvent, isFull: boolean): number {
    const { bytes, eventCount, oldest } = request;
    request.totalEvents += 1;
    if (eventCount === MAX_EVENTS || (isFull && eventCount > 0)) {
      // The list is a ring.
      request.latest = oldest;
      request.oldest = this.nextSlot[oldest] ?? NO_SLOT;
    } else this.#append(request);
    const slot = request.latest;
    this.#times[slot] = event.at;
    this.#priorities[slot] = event.priority;
    this.#delays[slot] = event.delay;
    this.#causes[slot] = event.cause;
    this.#objects[slot] = event.object;
    this.#before[slot] = event.before;
    this.#after[slot] = event.after;
    return request.bytes - bytes;
  }

  /** True if the latest event of a request has the cause, the object and the new version of this one. */
  has({ eventCount, latest }: RequestHistory, { cause, object, after }: WaitingEvent): boolean {
    return (
      eventCount > 0 &&
      this.#causes[latest] === cause &&
      this.#objects[latest] === object &&
      this.#after[latest] === after
    );
  }

  /** The event of a slot; `undefined` for a free one. */
  read(slot: number): RecordedEvent | undefined {
    const cause = this.#causes[slot];
    const delay = this.#delays[slot] ?? 0;
    return (
      cause && {
        at: this.#times[slot] ?? 0,
        cause,
        object: this.#objects[slot],
        before: this.#before[slot],
        after: this.#after[slot],
        priority: this.#priorities[slot] ?? 0,
        delay: Math.abs(delay),
        delayedBy: delayReasonOf(delay, cause),
      }
    );
  }

  /** Adds a slot to the events of a request. */
  #append(request: RequestHistory): void {
    const slot = this.#take();
    if (request.eventCount === 0) request.oldest = slot;
    else this.nextSlot[request.latest] = slot;
    this.nextSlot[slot] = request.oldest;
    request.latest = slot;
    request.eventCount += 1;
    request.bytes += EVENT_BYTES;
  }

  /** Takes a free slot. */
  #take(): number {
    const free = this.#firstFree;
    if (free !== NO_SLOT) {
      this.#firstFree = this.nextSlot[free] ?? NO_SLOT;
      return free;
    }
    if (this.#used === this.#times.length) this.#double();
    this.#used += 1;
    return this.#used - 1;
  }

  #double(): void {
    this.#times = doubled(this.#times, Float64Array);
    this.#priorities = doubled(this.#priorities, Float64Array);
    this.#delays = doubled(this.#delays, Float64Array);
    this.nextSlot = doubled(this.nextSlot, Int32Array);
  }
}

function delayReasonOf(delay: number, { reason }: QueuedCause): DelayReason | undefined {
  if (delay === 0) return undefined;
  if (delay < 0) return 'debounce';
  return reason === 'manual' ? 'after' : 'eventRate';
}

function doubled<Column extends Float64Array | Int32Array>(
  column: Column,
  constructor: new (length: number) => Column,
): Column {
  const copy = new constructor(column.length * 2);
  copy.set(column);
  return copy;
}

/**
 * The history of one request: its latest events, whose slots are a list, and its latest runs. To be read at once: when
 * it is forgotten, the object becomes the history of another request.
 */
export class RequestHistory implements LruEntry<RequestHistory> {
  key = '';
  readonly #columns: EventColumns;
  /** The latest run, the first of a list. */
  latestRun: RecordedRun | undefined = undefined;
  /** The last time that the queue dropped the request without a run. */
  purge: Purge | undefined = undefined;
  /** The slots of the oldest and of the latest event. */
  oldest: number = NO_SLOT;
  latest: number = NO_SLOT;
  /** The number of events that are kept. */
  eventCount = 0;
  /** The number of all events, also of those that are not kept. */
  totalEvents = 0;
  /** The number of events that have left the queue: for a run, or because the queue dropped the request. */
  takenEvents = 0;
  /** The bytes that the history of the controller counts for this request. */
  bytes = 0;
  before: RequestHistory | undefined = undefined;
  after: RequestHistory | undefined = undefined;
  hash = 0;
  next: RequestHistory | undefined = undefined;

  constructor(columns: EventColumns) {
    this.#columns = columns;
  }

  /** Drops what it has of a request. */
  clear(): void {
    this.latestRun = undefined;
    this.purge = undefined;
    this.eventCount = 0;
    this.totalEvents = 0;
    this.takenEvents = 0;
    this.bytes = 0;
  }

  /** The runs, oldest first. */
  get runs(): RecordedRun[] {
    const runs: RecordedRun[] = [];
    for (let run = this.latestRun; run !== undefined; run = run.earlier) runs.unshift(run);
    return runs;
  }

  /** The events, oldest first. */
  events(): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    let slot = this.oldest;
    for (let index = 0; index < this.eventCount; index += 1) {
      const event = this.#columns.read(slot);
      if (event !== undefined) events.push(event);
      slot = this.#columns.nextSlot[slot] ?? NO_SLOT;
    }
    return events;
  }
}
