import type { PartSelection } from '../contract/watch-part.ts';
import { isOlder } from './resource-version.ts';
import type { Replacement } from './reflector-sink.ts';

/** The objects that have entered the part of a running watch. */
export interface Addition {
  /** Selects at least these objects. */
  readonly selection: PartSelection;
  /** Receives them as a list. */
  readonly list: Replacement;
  /**
   * Called between two streams: the next one has the objects of both. `former` is the version up to which the store has the
   * earlier objects, and `added` that of the list.
   */
  merge(former: string, added: string): void;
}

/** One growth of a part: the list of the further objects beside the running watch, until one stream has all objects. */
export class PartGrowth {
  readonly #addition: Addition;
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<boolean>();
  /** The version of the list; `undefined` until it is complete. */
  #listed: string | undefined;

  constructor(addition: Addition) {
    this.#addition = addition;
  }

  /** Resolves with false if the watch must list all objects instead. */
  get merged(): Promise<boolean> {
    return this.#ended.promise;
  }

  /** True if the list is complete, so that the next stream may have all objects. */
  get isListed(): boolean {
    return this.#listed !== undefined;
  }

  /** Reads the further objects. Returns false if that failed, or the growth was cancelled. */
  async list(read: (addition: Addition, signal: AbortSignal) => Promise<string>): Promise<boolean> {
    try {
      const version = await read(this.#addition, this.#stop.signal);
      if (this.#stop.signal.aborted) return false;
      this.#listed = version;
      return true;
    } catch {
      // The watch then lists all objects, and reports the error of that list.
      this.cancel();
      return false;
    }
  }

  /** Ends the growth, because the watch lists all objects or stops. */
  cancel(): void {
    this.#stop.abort();
    this.#ended.resolve(false);
  }

  /**
   * Merges the objects into the store, which has the others up to a version. Returns the version that the store then has
   * of some objects, and the one from which the next stream must start.
   */
  merge(former: string): { readonly version: string; readonly resumeAt: string } {
    const added = this.#listed ?? former;
    this.#addition.merge(former, added);
    this.#ended.resolve(true);
    return isOlder(former, added)
      ? { version: added, resumeAt: former }
      : { version: former, resumeAt: added };
  }
}
