import { isOlder } from './resource-version.ts';

/** Watches in a row without a response, until the server's newest version is compared. */
const UNANSWERED_UNTIL_COMPARISON = 3;
/** Watches in a row that opened and brought no newer version, until the server's newest version is compared. */
const UNMOVED_UNTIL_COMPARISON = 10;
/** Lists in a row that failed, until the next ones start at another version. */
const FAILURES_UNTIL_OTHER_START = 3;
/** WatchLists in a row without a response, until LIST is tried instead. */
const UNANSWERED_UNTIL_LIST = 4;

/**
 * Knows whether the attempts of a reflector made progress: the store reached a newer version, or the server responded
 * to a watch. After an attempt without progress the next one is a different one.
 */
export class Progress {
  /** The newest version that the store had. */
  #version = '';
  /** The version at which a list last replaced a watch. */
  #lostAt: string | undefined;
  /** The version that the server no longer has. */
  #expired: string | undefined;
  #unansweredWatches = 0;
  #unmovedWatches = 0;
  #unansweredWatchLists = 0;
  #failedLists = 0;
  /** A comparison found a newer version while watches had no response, and no watch has opened since. */
  #wasAhead = false;

  /** Watches have no response. The server may still respond to lists. */
  get isUnanswered(): boolean {
    return this.#unansweredWatches >= UNANSWERED_UNTIL_COMPARISON;
  }

  /** Watches open and bring no newer version. */
  get isUnmoved(): boolean {
    return this.#unmovedWatches >= UNMOVED_UNTIL_COMPARISON;
  }

  /** Lists from the usual version fail: the next ones start at the newest one instead of the last seen, or the reverse. */
  get startsElsewhere(): boolean {
    return Math.floor(this.#failedLists / FAILURES_UNTIL_OTHER_START) % 2 === 1;
  }

  /** The store has reached this version. */
  reached(version: string): void {
    if (!isNewer(version, this.#version)) return;
    this.#version = version;
    this.#unmovedWatches = 0;
  }

  /** A list, or the initial state of a WatchList, is complete. */
  listed(version: string): void {
    if (isOlder(version, this.#version)) this.reset();
    this.reached(version);
    this.#failedLists = 0;
    this.#unansweredWatchLists = 0;
  }

  /** The versions of the server start again. */
  reset(): void {
    this.#version = '';
    this.#lostAt = undefined;
    this.#expired = undefined;
  }

  /** The server responded to a watch. */
  opened(): void {
    this.#unansweredWatches = 0;
    this.#unmovedWatches++;
    this.#wasAhead = false;
  }

  /** A watch had no response, or a refusal that does not concern its version. */
  unanswered(): void {
    this.#unansweredWatches++;
  }

  /**
   * A list must replace the watch. Returns true if the last such list brought no newer version. `isExpired`: the server
   * refused a watch from the present version.
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

  /** The next list starts at the newest version for another reason: failures are counted again. */
  startsAtNewest(): void {
    this.#failedLists = 0;
  }

  /** Returns true if LIST is tried instead of a further WatchList. */
  watchListUnanswered(): boolean {
    return ++this.#unansweredWatchLists >= UNANSWERED_UNTIL_LIST;
  }

  /**
   * The server has a newer version, while watches have no response. Returns true if a list must replace them: a server
   * that was down has opened no watch since it responded, or `isHeld` says that it was not down.
   */
  ahead(isHeld: boolean): boolean {
    const isListed = isHeld || this.#wasAhead || !this.isUnanswered;
    this.#wasAhead = true;
    return isListed;
  }

  /** The server has no newer version: the store misses nothing. */
  same(): void {
    this.#unmovedWatches = 0;
  }
}

/** Versions without an order are newer if they differ. */
function isNewer(version: string, than: string): boolean {
  return version !== than && !isOlder(version, than);
}
