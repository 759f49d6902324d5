import {
  objectKey,
  systemClock,
  type Clock,
  type ObjectKey,
  type ObjectName,
} from '@keelson/apimachinery';
import type { OwnWriteEnd } from '../contract/informer-observer.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { DeletedObject, OwnWrite } from './own-write.ts';

/**
 * Limits of the own writes of one watch: their number, their bytes and their age. A working watch reaches the version
 * of a write within milliseconds, so only a watch that is down comes near the limits. The age is longer than the
 * interval of bookmarks (1 minute) and than every backoff.
 */
export const MAX_ENTRIES = 10_000;
export const MAX_BYTES: number = 16 * 1024 * 1024;
export const MAX_AGE_MS: number = 5 * 60_000;
/** The most replaced states that are kept of one object, for handlers that receive them if a list passes them. */
export const MAX_REPLACED = 16;

/** The time at which the response of a write arrived, in milliseconds, and the epoch of the server. */
export interface Arrival {
  /** Differs after the server was replaced or restored from a backup. */
  readonly epoch: number;
  readonly at: number;
}

/** A state that the server has stored. */
export interface WrittenState extends Arrival {
  readonly write: OwnWrite;
  /** The state as the watch keeps it; `undefined` if the watch does not select it. */
  readonly object: StoredObject | undefined;
  /** Earlier states of the name, which readers saw before. The oldest is first. */
  readonly replaced: readonly WrittenState[];
}

/** An object that the server has deleted. */
export interface Deletion extends Arrival {
  readonly deleted: DeletedObject;
}

/** One own write: a state or a deletion. */
export type Entry = WrittenState | Deletion;

export interface OverlayEntriesOptions {
  readonly now: () => number;
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  readonly onEnd: (cause: OwnWriteEnd, entry: Entry) => void;
  /** Called when no code uses the object of a state any longer. */
  readonly onUnused: (object: StoredObject) => void;
}

/**
 * The newest written state of each object, and the deletions by uid, in the order of their responses. Beyond the
 * limits, the oldest entries end.
 */
export class OverlayEntries {
  readonly #options: OverlayEntriesOptions;
  readonly #states = new Map<ObjectKey, WrittenState>();
  readonly #deletions = new Map<string, Deletion>();
  /** The number of states and deletions. */
  size = 0;
  #bytes = 0;
  #stopTimer: (() => void) | undefined;

  constructor(options: OverlayEntriesOptions) {
    this.#options = options;
  }

  get states(): Iterable<WrittenState> {
    return this.#states.values();
  }

  get deletions(): Iterable<Deletion> {
    return this.#deletions.values();
  }

  stateOf(key: ObjectKey): WrittenState | undefined {
    return this.#states.get(key);
  }

  deletionOf(uid: string): Deletion | undefined {
    return this.#deletions.get(uid);
  }

  /** Returns the names of all entries, each once. */
  names(): Iterable<ObjectName> {
    const names = new Map<ObjectKey, ObjectName>();
    for (const [key, { write }] of this.#states) names.set(key, write.name);
    for (const { deleted } of this.#deletions.values()) names.set(objectKey(deleted), deleted);
    return names.values();
  }

  /** Adds a state, which replaces that of the same name. */
  addState(state: Omit<WrittenState, 'replaced'>): void {
    const { key } = state.write;
    const former = this.#states.get(key);
    const replaced = former === undefined ? [] : this.#replace(former);
    this.#states.set(key, { ...state, replaced });
    this.#count();
    this.#bytes += state.write.bytes.length;
    this.#bound();
  }

  addDeletion(deletion: Deletion): void {
    this.#deletions.set(deletion.deleted.uid, deletion);
    this.#count();
    this.#bound();
  }

  end(entry: Entry, cause: OwnWriteEnd): void {
    if ('deleted' in entry) this.#deletions.delete(entry.deleted.uid);
    else {
      this.#states.delete(entry.write.key);
      for (const state of [...entry.replaced, entry]) this.#forget(state);
    }
    this.#count();
    this.#options.onEnd(cause, entry);
  }

  /** Ends all entries. */
  close(): void {
    for (let entry = this.#oldest(); entry !== undefined; entry = this.#oldest()) {
      this.end(entry, 'closed');
    }
    this.#stopTimer?.();
  }

  /** Ends a state for readers, and returns it with those that it replaced. */
  #replace(former: WrittenState): WrittenState[] {
    this.#states.delete(former.write.key);
    const replaced = [...former.replaced, { ...former, replaced: [] }];
    for (const state of replaced.splice(0, replaced.length - MAX_REPLACED)) this.#forget(state);
    this.#options.onEnd('replaced', former);
    return replaced;
  }

  #count(): void {
    this.size = this.#states.size + this.#deletions.size;
  }

  #forget({ write, object }: WrittenState): void {
    this.#bytes -= write.bytes.length;
    if (object !== undefined) this.#options.onUnused(object);
  }

  #bound(): void {
    const oldest = this.size > MAX_ENTRIES ? this.#oldest() : undefined;
    if (oldest !== undefined) this.end(oldest, 'evicted');
    for (const state of this.#states.values()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.end(state, 'evicted');
    }
    if (this.#stopTimer === undefined && this.size > 0) this.#startTimer(MAX_AGE_MS);
  }

  #startTimer(milliseconds: number): void {
    const { clock = systemClock } = this.#options;
    this.#stopTimer = clock.startTimer(milliseconds, () => this.#expire());
  }

  #expire(): void {
    this.#stopTimer = undefined;
    const limit = this.#options.now() - MAX_AGE_MS;
    for (let entry = this.#oldest(); entry !== undefined; entry = this.#oldest()) {
      if (entry.at > limit) return this.#startTimer(entry.at - limit);
      this.end(entry, 'expired');
    }
  }

  #oldest(): Entry | undefined {
    const [state] = this.#states.values();
    const [deletion] = this.#deletions.values();
    if (state === undefined || deletion === undefined) return state ?? deletion;
    return state.at < deletion.at ? state : deletion;
  }
}
