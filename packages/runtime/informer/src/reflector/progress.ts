import { isOlder } from './resource-version.ts';

/** Watches in a row without a response until the reflector compares the server's newest version. */
const UNANSWERED_UNTIL_COMPARISON = 3;
/** Watches in a row that opened without a newer version until the reflector compares the server's newest version. */
const UNMOVED_UNTIL_COMPARISON = 10;
/** Lists in a row that failed until the next ones start at another version. */
const FAILURES_UNTIL_OTHER_START = 3;
/** WatchLists in a row without a response until the reflector uses LIST instead. */
const UNANSWERED_UNTIL_LIST = 4;

/**
 * Records whether the attempts of a reflector made progress: the store reached a newer version, or the server responded
 * to a watch. Its counts decide when an attempt without progress is followed by another kind of attempt.
 */
export class Progress {
  /** The newest version that the store had. */
  #version = '';
  /** The version at which a list last replaced a watch. */
  #lostAt: string | undefined;
  /** The last version from which the server refused a watch as expired. */
  #expired: string | undefined;
  #unansweredWatches = 0;
  #unmovedWatches = 0;
  #unansweredWatchLists = 0;
  #failedLists = 0;
  /** True if a comparison found a newer version while watches had no response, and no watch has opened since. */
  #wasAhead = false;

  /** True if too many watches in a row had no response. The server may still respond to lists. */
  get isUnanswered(): boolean {
    return this.#unansweredWatches >= UNANSWERED_UNTIL_COMPARISON;
  }

  /** True if too many watches in a row opened without a newer version. */
  get isUnmoved(): boolean {
    return this.#unmovedWatches >= UNMOVED_UNTIL_COMPARISON;
  }

  /**
   * True if lists from the usual version fail. The next ones then start at the newest version instead of the last seen
   * one, or the reverse.
   */
  get startsElsewhere(): boolean {
    return Math.floor(this.#failedLists / FAILURES_UNTIL_OTHER_START) % 2 === 1;
  }

  /** Records that the store has reached a version. */
  reached(version: string): void {
    if (!isNewer(version, this.#version)) return;
    this.#version = version;
    this.#unmovedWatches = 0;
  }

  /** Records that a list or the initial state of a WatchList is complete. */
  listed(version: string): void {
    if (isOlder(version, this.#version)) this.reset();
    this.reached(version);
    this.#failedLists = 0;
    this.#unansweredWatchLists = 0;
  }

  /** Forgets all versions, because those of the server start again. */
  reset(): void {
    this.#version = '';
    this.#lostAt = undefined;
    this.#expired = undefined;
  }

  /** Records that the server responded to a watch. */
  opened(): void {
    this.#unansweredWatches = 0;
    this.#unmovedWatches++;
    this.#wasAhead = false;
  }

  /** Records that a watch had no response, or that the server refused it for a reason other than its version. */
  unanswered(): void {
    this.#unansweredWatches++;
  }

  /**
   * Records that a list must replace the watch. Returns true if the last such list brought no newer version.
   * `isExpired`: the server refused a watch from the present version as expired.
   */
  lost(isExpired: boolean): boolean {
    const isAgain = this.#lostAt !== undefined && !isNewer(this.#version, this.#lostAt);
    this.#lostAt = this.#version;
    if (isExpired) this.#expired = this.#version;
    return isAgain;
  }

  /** True if a watch from this version would expire again. */
  isExpired(version: string): boolean {
    return this.#expired !== undefined && !isNewer(version, this.#expired);
  }

  listFailed(): void {
    this.#failedLists++;
    this.#unansweredWatchLists = 0;
  }

  /** Counts failed lists from 0 again, because the next list starts at the newest version for another reason. */
  startsAtNewest(): void {
    this.#failedLists = 0;
  }

  /** Records a WatchList without a response. Returns true if the reflector must use LIST next. */
  watchListUnanswered(): boolean {
    return ++this.#unansweredWatchLists >= UNANSWERED_UNTIL_LIST;
  }

  /**
   * Records that the server has a newer version. Returns true if a list must replace the watches. After watches without
   * a response, the first call returns false, because the server may have been down; with `wasUp` it was not.
   */
  ahead(wasUp: boolean): boolean {
    const isListed = wasUp || this.#wasAhead || !this.isUnanswered;
    this.#wasAhead = true;
    return isListed;
  }

  /** Records that the server has no newer version, so the store is current. */
  same(): void {
    this.#unmovedWatches = 0;
  }
}

/** True if a version is newer. Versions without an order count as newer if they differ. */
function isNewer(version: string, than: string): boolean {
  return version !== than && !isOlder(version, than);
}
