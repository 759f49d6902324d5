import { informerError } from '../errors.ts';

const decimal = /^[1-9]\d*$/;

/**
 * Returns true if one version is older than another. Versions of one resource are compared as
 * integers (KEP-5504, Kubernetes 1.35). Other strings are opaque: the result is false.
 */
export function isOlder(version: string, than: string): boolean {
  const isShorter = version.length < than.length;
  if (!isShorter && (version.length > than.length || version >= than)) return false;
  return decimal.test(version) && decimal.test(than);
}

/** Returns true if one version is equal to another or later. False for versions without an order. */
export function hasReached(version: string, other: string): boolean {
  return decimal.test(version) && decimal.test(other) && !isOlder(version, other);
}

/** How often an object is requested that is malformed each time, before it is skipped. */
const MAX_MALFORMED = 3;

/**
 * Checks the versions and objects that a server, or a proxy before it, sends, and records which checks no longer apply.
 */
export class VersionTrust {
  /**
   * True if two objects with the same uid and version are the same state. False after the server was restored or
   * replaced.
   */
  knowsVersions = true;
  #trustsVersions = true;
  /** Number of malformed objects in a row. */
  #malformed = 0;

  /** True if a version is a number, and the versions of the server have an order. */
  isOrdered(version: string): boolean {
    return this.#trustsVersions && hasReached(version, '1');
  }

  /** Throws `WATCH_WENT_BACK` for a version older than the last one, because it comes from a server that is behind. */
  checkOrder(version: string, reached: string): void {
    if (this.#trustsVersions && isOlder(version, reached)) throw wentBack(version, reached);
  }

  distrustVersions(): void {
    this.#trustsVersions = false;
  }

  /**
   * Throws `OBJECT_MALFORMED`, so that the object is requested again, because only this response may be damaged. After
   * the third malformed object in a row it does not throw, so that the watch skips the object and continues.
   */
  malformed(error: unknown): void {
    if (++this.#malformed < MAX_MALFORMED) throw informerError('OBJECT_MALFORMED', {}, error);
  }

  /** Records that a list has replaced the store. From now on, objects with equal versions are the same state. */
  listed(): void {
    this.#malformed = 0;
    this.knowsVersions = true;
  }

  /**
   * Records an event that could be parsed, and resets the count of malformed objects. `version` is that of the object,
   * or `""`.
   */
  parsed(version: string, reached: string): void {
    const isBehind = version !== '' && this.#trustsVersions && isOlder(version, reached);
    if (isBehind) throw wentBack(version, reached);
    this.#malformed = 0;
  }
}

function wentBack(version: string, reached: string): Error {
  return informerError('WATCH_WENT_BACK', { version, reached });
}
