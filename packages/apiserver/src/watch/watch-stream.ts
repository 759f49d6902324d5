import type { ServerResponse } from 'node:http';
import type { StatusError } from '@keelson/apimachinery';
import { breakConnection } from '../http/break-connection.ts';
import { writeHead } from '../http/answer.ts';
import { expired } from '../failures/status-answers.ts';
import type { Change } from '../storage/revision-log.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectFilter } from '../resources/object-filter.ts';
import type { EventFrames } from './event-frames.ts';

/** What troubles a stream at this moment; the faults of a server decide. */
export interface WatchTrouble {
  /** Nothing is written. */
  stalled(): boolean;
  /** Milliseconds by which events come late. */
  delay(): number;
  /** Bookmarks are left out. */
  withholdsBookmarks(): boolean;
}

/** What makes a watch stream. */
export interface WatchStreamOptions {
  readonly store: ResourceStore;
  readonly filter: ObjectFilter;
  readonly frames: EventFrames;
  readonly response: ServerResponse;
  /** Changes up to this revision are known to the client. */
  readonly from: number;
  /** Send the present objects first. */
  readonly initial: boolean;
  readonly bookmarks: boolean;
  /** Milliseconds between bookmarks. */
  readonly bookmarkInterval: number;
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number;
  readonly trouble: WatchTrouble;
}

/** Beyond this many unsent bytes a stream waits for its client to read. */
const highWater = 1024 * 1024;
/** Events are gathered into writes of about this size. */
const batchBytes = 64 * 1024;
/** A longer delay would fire at once: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Real servers send a last bookmark this long before the end of a watch. */
const lastBookmark = 2000;

/**
 * One watch: a position in the log of a resource that follows its end as fast as the client reads. A client that
 * falls behind the oldest change that is kept is told 410.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  /** Present objects that are still to be told; `undefined` once all have been. */
  #initial: Iterator<StoredObject> | undefined;
  #position: number;
  /** The newest revision that the client has been told. */
  #told: number;
  #batch: Buffer[] = [];
  #batched = 0;
  #open = true;
  #truncates = false;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#position = options.store.log.positionAfter(options.from);
    this.#told = options.from;
  }

  /** Begins the answer. `ended` is called once, when the stream is over for whatever reason. */
  start(ended: () => void): void {
    const { response, frames, initial, timeout, bookmarkInterval, bookmarks } = this.#options;
    response.on('close', () => {
      this.#stop();
      ended();
    });
    response.on('drain', () => this.pump());
    writeHead(response, 200, { contentType: frames.contentType });
    response.flushHeaders();
    this.#after(timeout, () => this.end());
    if (bookmarks) {
      this.#every(bookmarkInterval, () => this.#bookmark());
      if (timeout > lastBookmark) this.#after(timeout - lastBookmark, () => this.#bookmark());
    }
    if (initial) this.#beginWithPresent();
    this.pump();
  }

  /** Something has been written to the store. */
  wake(): void {
    const delay = this.#options.trouble.delay();
    if (delay === 0) return this.pump();
    const end = this.#options.store.log.end;
    this.#after(delay, () => this.pump(end));
    return undefined;
  }

  /** Writes what the client has not been told, up to a position of the log. */
  pump(end: number = this.#options.store.log.end): void {
    const { response, trouble } = this.#options;
    while (this.#open && (this.#initial !== undefined || this.#position < end)) {
      if (trouble.stalled() || response.writableLength > highWater) break;
      if (this.#initial === undefined) this.#tellChange();
      else this.#tellPresent(this.#initial);
    }
    this.#flush();
  }

  /** Ends the stream in an orderly way. */
  end(): void {
    if (!this.#open) return;
    this.#flush();
    this.#stop();
    this.#options.response.end();
  }

  /** Ends the stream by resetting its connection. */
  cut(): void {
    this.#stop();
    breakConnection(this.#options.response.socket);
  }

  /** Ends the stream with an ERROR event. */
  fail(error: StatusError): void {
    if (!this.#open) return;
    this.#write(this.#options.frames.ofError(error.status));
    this.end();
  }

  /** Writes half of the next event and breaks off. */
  truncate(): void {
    this.#truncates = true;
  }

  #beginWithPresent(): void {
    const { store, filter } = this.#options;
    const snapshot = store.snapshot();
    // The objects of this moment: what changes while they are being written stands in the log.
    const objects = snapshot.keys.flatMap((key) => snapshot.get(key) ?? []);
    this.#initial = objects.filter((object) => filter.matches(object)).values();
    this.#position = store.log.end;
    this.#told = snapshot.revision;
  }

  #tellPresent(initial: Iterator<StoredObject>): void {
    const { frames, bookmarks, trouble } = this.#options;
    const { done, value } = initial.next();
    if (done !== true) {
      this.#write(frames.ofObject('ADDED', value));
      return;
    }
    this.#initial = undefined;
    if (bookmarks && !trouble.withholdsBookmarks())
      this.#write(frames.ofBookmark(this.#told, true));
  }

  #tellChange(): void {
    const { log } = this.#options.store;
    if (!log.holds(this.#position)) {
      this.fail(expired(`too old resource version: ${this.#told} (${log.compacted})`));
      return;
    }
    const change = log.at(this.#position++);
    // A watch from a version in the future has been told everything up to there.
    if (change === undefined || change.revision <= this.#told) return;
    this.#told = change.revision;
    this.#tell(change);
  }

  #tell(change: Change): void {
    const { filter, frames } = this.#options;
    const matched = change.previous !== undefined && filter.matches(change.previous);
    const matches = change.type !== 'DELETED' && filter.matches(change.object);
    if (matches) this.#write(frames.ofObject(matched ? 'MODIFIED' : 'ADDED', change.object));
    else if (matched) this.#write(frames.ofObject('DELETED', goneFrom(change)));
  }

  #bookmark(): void {
    const { store, frames, trouble } = this.#options;
    if (trouble.withholdsBookmarks() || trouble.stalled()) return;
    if (this.#initial !== undefined || this.#told > store.revision) return;
    // A stream that has not caught up may only promise what it has told.
    if (this.#position === store.log.end) this.#told = store.revision;
    this.#write(frames.ofBookmark(this.#told, false));
    this.#flush();
  }

  #write(frame: Buffer): void {
    if (!this.#open) return;
    this.#batch.push(this.#truncates ? frame.subarray(0, frame.length / 2) : frame);
    this.#batched += frame.length;
    if (this.#truncates) this.end();
    else if (this.#batched >= batchBytes) this.#flush();
  }

  #flush(): void {
    if (this.#batch.length === 0 || !this.#open) return;
    this.#options.response.write(Buffer.concat(this.#batch));
    this.#batch = [];
    this.#batched = 0;
  }

  #after(milliseconds: number, run: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        run();
      },
      Math.min(milliseconds, LONGEST_TIMER_MS),
    );
    this.#timers.add(timer);
  }

  #every(milliseconds: number, run: () => void): void {
    this.#timers.add(setInterval(run, Math.min(milliseconds, LONGEST_TIMER_MS)));
  }

  #stop(): void {
    this.#open = false;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** An object that leaves a selector is told with the body that still matched. */
function goneFrom(change: Change): Change['object'] {
  if (change.type === 'DELETED') return change.object;
  return change.previous?.at(change.revision) ?? change.object;
}
