import type { ServerResponse } from 'node:http';
import type { StatusError } from '@keelson/apimachinery';
import { completed, writeHead } from '../http/answer.ts';
import { expired } from '../status-answers.ts';
import type { Change } from '../storage/revision-log.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { ObjectFilter } from '../verbs/object-filter.ts';
import { type EventLines, lineOf } from './event-lines.ts';

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
  readonly lines: EventLines;
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
/** Real servers send a last bookmark this long before the end of a watch. */
const lastBookmark = 2000;

/**
 * One watch: a position in the log of a resource that follows its end as fast as the client reads. A client that
 * falls behind the oldest change that is kept is told 410.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  #position: number;
  /** The newest revision that the client has been told. */
  #told: number;
  #pending: Buffer[] = [];
  #open = true;
  readonly #timers = new Set<NodeJS.Timeout>();
  #truncates = false;

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#position = options.store.log.positionAfter(options.from);
    this.#told = options.from;
  }

  /** Begins the answer. `ended` is called once, when the stream is over for whatever reason. */
  start(ended: () => void): void {
    const { response, initial, timeout, bookmarkInterval, bookmarks } = this.#options;
    response.on('close', () => {
      this.#stop();
      ended();
    });
    response.on('drain', () => this.pump());
    writeHead(response, 200, {});
    response.flushHeaders();
    this.#after(timeout, () => this.end());
    if (bookmarks) {
      this.#every(bookmarkInterval, () => this.#bookmark(false));
      if (timeout > lastBookmark) this.#after(timeout - lastBookmark, () => this.#bookmark(false));
    }
    if (initial) this.#sendInitial();
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
    const { store, response, trouble } = this.#options;
    this.#flush();
    while (this.#position < end && this.#open && !trouble.stalled()) {
      if (response.writableLength > highWater) return;
      if (!store.log.holds(this.#position)) return this.#tooOld();
      const change = store.log.at(this.#position++);
      if (change !== undefined) this.#tell(change);
    }
    return undefined;
  }

  /** Ends the stream in an orderly way. */
  end(): void {
    if (!this.#open) return;
    this.#stop();
    this.#options.response.end();
  }

  /** Ends the stream by resetting its connection. */
  cut(): void {
    this.#stop();
    this.#options.response.socket?.resetAndDestroy();
  }

  /** Ends the stream with an ERROR event. */
  fail(error: StatusError): void {
    if (!this.#open) return;
    this.#options.response.write(lineOf('ERROR', completed(error.status)));
    this.end();
  }

  /** Writes half of the next event and breaks off. */
  truncate(): void {
    this.#truncates = true;
  }

  #sendInitial(): void {
    const { store, filter, lines, bookmarks } = this.#options;
    const snapshot = store.snapshot();
    for (const key of snapshot.keys) {
      const object = snapshot.get(key);
      if (object !== undefined && filter.matches(object))
        this.#write(lines.ofObject('ADDED', object));
    }
    this.#position = store.log.end;
    this.#told = snapshot.revision;
    if (bookmarks) this.#bookmark(true);
  }

  #tell(change: Change): void {
    if (change.revision <= this.#told) return;
    this.#told = change.revision;
    const { filter, lines } = this.#options;
    const matched = change.previous !== undefined && filter.matches(change.previous);
    const matches = change.type !== 'DELETED' && filter.matches(change.object);
    if (matches) this.#write(lines.ofObject(matched ? 'MODIFIED' : 'ADDED', change.object));
    else if (matched) this.#write(lines.ofObject('DELETED', goneFrom(change)));
  }

  #bookmark(endsInitialEvents: boolean): void {
    const { store, lines, trouble } = this.#options;
    if (trouble.withholdsBookmarks() || this.#told > store.revision) return;
    // A stream that has not caught up may only promise what it has told.
    if (this.#position === store.log.end) this.#told = store.revision;
    this.#write(lines.ofBookmark(this.#told, endsInitialEvents));
  }

  #write(line: Buffer): void {
    if (!this.#open) return;
    if (this.#truncates) {
      this.#options.response.write(line.subarray(0, line.length / 2));
      this.end();
      return;
    }
    if (this.#options.trouble.stalled()) this.#pending.push(line);
    else this.#options.response.write(line);
  }

  #flush(): void {
    if (this.#options.trouble.stalled()) return;
    for (const line of this.#pending.splice(0)) this.#write(line);
  }

  #tooOld(): void {
    const { log } = this.#options.store;
    this.fail(expired(`too old resource version: ${this.#told} (${log.compacted})`));
  }

  #after(milliseconds: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #every(milliseconds: number, run: () => void): void {
    this.#timers.add(setInterval(run, milliseconds));
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
