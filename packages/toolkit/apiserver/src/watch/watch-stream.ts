import type { ServerResponse } from 'node:http';
import type { Clock, StatusError, StreamActivity } from '@keelson/apimachinery';
import { breakResponse } from '../http/break-connection.ts';
import { writeHead } from '../http/response.ts';
import { expired, internalError } from '../status-errors/status-errors.ts';
import type { Change } from '../storage/revision-log.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectFilter } from '../resources/object-filter.ts';
import type { BookmarkTicks } from './bookmark-ticks.ts';
import type { EventFrames, EventType } from './event-frames.ts';

/** The faults that affect a stream. */
export interface WatchFaults {
  /** True while the stream must not write. */
  stalled(): boolean;
  /** Delay of events in milliseconds. */
  delay(): number;
  /** True while bookmarks are left out. */
  withholdsBookmarks(): boolean;
}

export interface WatchStreamOptions {
  readonly store: ResourceStore;
  /** Converts an object before it is sent; returns `undefined` if that is done. Absent without conversions. */
  readonly prepare?: ((object: StoredObject) => Promise<void> | undefined) | undefined;
  readonly filter: ObjectFilter;
  readonly frames: EventFrames;
  readonly response: ServerResponse;
  /** The client has all changes up to this revision. */
  readonly from: number;
  /** Send the existing objects first, as initial events. */
  readonly initial: boolean;
  readonly bookmarks: boolean;
  /** The times of the bookmarks. */
  readonly ticks: BookmarkTicks;
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number;
  readonly faults: WatchFaults;
  readonly clock: Clock;
  /** Counts the bytes of the response for the clock of a test. Default: none. */
  readonly activity?: StreamActivity | undefined;
}

/** A stream with more unsent bytes waits until its client reads. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** Events are batched into writes of about this size. */
const BATCH_BYTES = 64 * 1024;
/** kube-apiserver sends the last bookmark this long before the end of a watch. */
const LAST_BOOKMARK_MS = 2000;

/**
 * One watch. It reads the log of a resource as fast as its client reads the response. If the log drops changes before
 * the client has read them, the watch ends with 410.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  /** The initial objects; `undefined` once all have been sent. */
  #initial: readonly StoredObject[] | undefined;
  /** The number of initial objects that have been sent. */
  #sentInitial = 0;
  #position: number;
  /** The position up to which changes may be sent. */
  #end = 0;
  /** The last object of a change that left the selector, which is made once. */
  #left: { readonly change: Change; readonly object: StoredObject } | undefined;
  /** The newest revision that the client has received. */
  #sentRevision: number;
  /** The revision at which the stream began. kube-apiserver sends no bookmark about it, except the one after the initial events. */
  #startRevision: number;
  #batch: Buffer[] = [];
  #batched = 0;
  #open = true;
  /** True while an object is being converted. The events after it wait. */
  #converting = false;
  #truncates = false;
  readonly #stopTimers = new Set<() => void>();

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#position = options.store.log.positionAfter(options.from);
    this.#sentRevision = options.from;
    this.#startRevision = options.from;
  }

  /** Starts the response. Calls `ended` once, when the stream has ended for any reason. */
  start(ended: () => void): void {
    const { response, frames, initial, timeout, ticks, bookmarks } = this.#options;
    response.on('close', () => {
      this.#stop();
      this.#options.activity?.closed();
      ended();
    });
    response.on('drain', () => this.pump());
    writeHead(response, 200, { contentType: frames.contentType });
    response.flushHeaders();
    this.#after(timeout, () => this.end());
    if (bookmarks) {
      this.#stopTimers.add(ticks.add(() => this.#bookmark()));
      if (timeout > LAST_BOOKMARK_MS)
        this.#after(timeout - LAST_BOOKMARK_MS, () => this.#bookmark());
    }
    if (initial) this.#beginWithInitial();
    this.pump();
  }

  /** Takes new changes of the store, after the delay of a fault if there is one. `flush` sends them. */
  wake(): void {
    const { faults, store } = this.#options;
    const { end } = store.log;
    const delay = faults.delay();
    if (delay === 0) this.#take(end);
    else this.#after(delay, () => this.pump(end));
  }

  /** Sends initial objects and changes up to a position of the log. */
  pump(end: number = this.#options.store.log.end): void {
    this.#take(end);
    this.flush();
  }

  /** Adds initial objects and changes up to a position of the log to the batch. */
  #take(end: number): void {
    const { response, faults } = this.#options;
    this.#end = Math.max(this.#end, end);
    while (this.#open && (this.#initial !== undefined || this.#position < this.#end)) {
      if (faults.stalled() || response.writableLength > HIGH_WATER_BYTES) break;
      if (this.#converting || this.#convertNext()) break;
      if (this.#initial === undefined) this.#sendNextChange();
      else this.#sendInitial(this.#initial);
    }
  }

  /** Returns true if the next event waits for a conversion. A failed conversion ends the stream. */
  #convertNext(): boolean {
    const { prepare } = this.#options;
    const object = prepare && this.#nextObject();
    const pending = object && prepare(object);
    if (pending === undefined) return false;
    this.#converting = true;
    void this.#sendAfter(pending);
    return true;
  }

  async #sendAfter(pending: Promise<void>): Promise<void> {
    try {
      await pending;
      this.#converting = false;
      this.pump(this.#end);
    } catch (error) {
      this.fail(internalError(error instanceof Error ? error.message : String(error)));
    }
  }

  /** The object of the next event; `undefined` if the next change causes none. */
  #nextObject(): StoredObject | undefined {
    if (this.#initial !== undefined) return this.#initial[this.#sentInitial];
    const change = this.#options.store.log.at(this.#position);
    return change && this.#eventOf(change)?.object;
  }

  /** Ends the response without an error. */
  end(): void {
    if (!this.#open) return;
    this.flush();
    this.#stop();
    this.#options.activity?.closed();
    this.#options.response.end();
  }

  /** Breaks the stream off. Over HTTP/1.1 its connection breaks, over HTTP/2 only the stream. */
  cut(): void {
    this.flush();
    this.#stop();
    breakResponse(this.#options.response);
  }

  /** Ends the stream with an ERROR event. */
  fail(error: StatusError): void {
    if (!this.#open) return;
    this.#write(this.#options.frames.ofError(error.status));
    this.end();
  }

  /** Sends only the first half of the next event, then ends the response. */
  truncate(): void {
    this.#truncates = true;
  }

  #beginWithInitial(): void {
    const { store, filter } = this.#options;
    const snapshot = store.snapshot();
    // The snapshot is read at once; the log holds all changes after it.
    const objects = snapshot.keys.flatMap((key) => snapshot.get(key) ?? []);
    this.#initial = objects.filter((object) => filter.matches(object));
    this.#position = store.log.end;
    this.#sentRevision = snapshot.revision;
    this.#startRevision = snapshot.revision;
  }

  #sendInitial(initial: readonly StoredObject[]): void {
    const { frames, bookmarks, faults } = this.#options;
    const next = initial[this.#sentInitial++];
    if (next !== undefined) {
      this.#write(frames.ofObject('ADDED', next));
      return;
    }
    this.#initial = undefined;
    if (bookmarks && !faults.withholdsBookmarks())
      this.#write(frames.ofBookmark(this.#sentRevision, true));
  }

  #sendNextChange(): void {
    const { log } = this.#options.store;
    if (!log.holds(this.#position)) {
      this.fail(expired(`too old resource version: ${this.#sentRevision} (${log.compacted})`));
      return;
    }
    const change = log.at(this.#position++);
    // A watch from a future version skips the changes up to that version.
    if (change === undefined || change.revision <= this.#sentRevision) return;
    this.#sentRevision = change.revision;
    this.#sendChange(change);
  }

  #sendChange(change: Change): void {
    const event = this.#eventOf(change);
    if (event !== undefined) this.#write(this.#options.frames.ofObject(event.type, event.object));
  }

  /** The event of a change for this watch; `undefined` if neither state matches its selector. */
  #eventOf(
    change: Change,
  ): { readonly type: EventType; readonly object: StoredObject } | undefined {
    const { filter } = this.#options;
    const matched = change.previous !== undefined && filter.matches(change.previous);
    const matches = change.type !== 'DELETED' && filter.matches(change.object);
    if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', object: change.object };
    return matched ? { type: 'DELETED', object: this.#deletedStateOf(change) } : undefined;
  }

  /** An object that leaves a selector is sent as DELETED with the last state that matched. */
  #deletedStateOf(change: Change): StoredObject {
    if (change.type === 'DELETED') return change.object;
    if (this.#left?.change === change) return this.#left.object;
    const object = change.previous?.at(change.revision) ?? change.object;
    this.#left = { change, object };
    return object;
  }

  #bookmark(): void {
    const { store, frames, faults } = this.#options;
    if (faults.withholdsBookmarks() || faults.stalled()) return;
    if (this.#initial !== undefined || this.#sentRevision > store.revision) return;
    // A stream with unsent changes may only confirm the revision that it has sent.
    if (this.#position === store.log.end) this.#sentRevision = store.revision;
    if (this.#sentRevision <= this.#startRevision) return;
    this.#write(frames.ofBookmark(this.#sentRevision, false));
    this.flush();
  }

  #write(frame: Buffer): void {
    if (!this.#open) return;
    this.#batch.push(this.#truncates ? frame.subarray(0, frame.length / 2) : frame);
    this.#batched += frame.length;
    if (this.#truncates) this.end();
    else if (this.#batched >= BATCH_BYTES) this.flush();
  }

  /** Writes the batch to the response. */
  flush(): void {
    if (this.#batch.length === 0 || !this.#open) return;
    const batch = this.#options.frames.join(this.#batch);
    this.#options.activity?.sent(batch.length);
    this.#options.response.write(batch);
    this.#batch = [];
    this.#batched = 0;
  }

  #after(milliseconds: number, run: () => void): void {
    const stopTimer = this.#options.clock.startTimer(milliseconds, () => {
      this.#stopTimers.delete(stopTimer);
      run();
    });
    this.#stopTimers.add(stopTimer);
  }

  #stop(): void {
    this.#open = false;
    for (const stopTimer of this.#stopTimers) stopTimer();
    this.#stopTimers.clear();
  }
}
