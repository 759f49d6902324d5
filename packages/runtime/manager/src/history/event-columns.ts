import type { InformerEvent } from '@keelson/informer';
import type { QueuedCause } from '../reconcile/cause.ts';

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
export interface QueuedAdd {
  readonly cause: QueuedCause;
  readonly priority: number;
  readonly debounce?: { readonly wait: number } | undefined;
  /** Milliseconds. */
  readonly after?: number | undefined;
}

/** The slot of no event. */
export const NO_SLOT = -1;
/** The slots of the first columns. Full columns are doubled. */
const FIRST_SLOTS = 64;

/**
 * Events in columns, one list for each member: an event takes a slot and creates no object, because events come far
 * more often than they are read.
 */
export class EventColumns {
  readonly #causes: (QueuedCause | undefined)[] = [];
  readonly #objects: (string | undefined)[] = [];
  readonly #before: (string | undefined)[] = [];
  readonly #after: (string | undefined)[] = [];
  #times = new Float64Array(FIRST_SLOTS);
  #priorities = new Float64Array(FIRST_SLOTS);
  #delays = new Float64Array(FIRST_SLOTS);
  /** The next event of the same request, or the next free slot. */
  #next = new Int32Array(FIRST_SLOTS);
  #firstFree = NO_SLOT;
  /** The number of slots that were used once. */
  #used = 0;

  /** Takes a free slot. Its event is undefined until `write`. */
  take(): number {
    const free = this.#firstFree;
    if (free !== NO_SLOT) {
      this.#firstFree = this.next(free);
      return free;
    }
    if (this.#used === this.#times.length) this.#double();
    this.#used += 1;
    return this.#used - 1;
  }

  /** Frees a slot, and drops its references. */
  free(slot: number): void {
    this.#causes[slot] = undefined;
    this.#objects[slot] = undefined;
    this.#before[slot] = undefined;
    this.#after[slot] = undefined;
    this.#next[slot] = this.#firstFree;
    this.#firstFree = slot;
  }

  /** The slot after this one in the list of a request. */
  next(slot: number): number {
    return this.#next[slot] ?? NO_SLOT;
  }

  link(slot: number, next: number): void {
    this.#next[slot] = next;
  }

  write(slot: number, add: QueuedAdd, event: InformerEvent | undefined, now: number): void {
    this.#times[slot] = now;
    this.#priorities[slot] = add.priority;
    // Negative for a debounce, so that the reason needs no column of its own.
    this.#delays[slot] = add.after ?? -(add.debounce?.wait ?? 0);
    this.#causes[slot] = add.cause;
    this.#objects[slot] = event?.key;
    this.#after[slot] = event?.object.resourceVersion;
    this.#before[slot] = event?.type === 'updated' ? event.previous.resourceVersion : undefined;
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

  #double(): void {
    this.#times = doubled(this.#times, Float64Array);
    this.#priorities = doubled(this.#priorities, Float64Array);
    this.#delays = doubled(this.#delays, Float64Array);
    this.#next = doubled(this.#next, Int32Array);
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
