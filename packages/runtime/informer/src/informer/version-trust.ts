import { informerError } from '../errors.ts';
import { hasReached, isOlder } from '../reflector/resource-version.ts';

/** How often a malformed object is requested before it is skipped. */
const MAX_MALFORMED = 3;

/** How far the informer trusts the versions and objects that a server, or a proxy before it, sends. */
export class VersionTrust {
  /** An object of the same version is the same. */
  knowsVersions = true;
  #trustsVersions = true;
  /** Malformed objects in a row. */
  #malformed = 0;

  /** True if a version is a number, and the versions of the server have an order. */
  isOrdered(version: string): boolean {
    return this.#trustsVersions && hasReached(version, '1');
  }

  /** Throws `WATCH_WENT_BACK` for a version older than the last one: a server that has not reached this version sent it. */
  checkOrder(version: string, reached: string): void {
    if (!this.#trustsVersions || !isOlder(version, reached)) return;
    throw informerError('WATCH_WENT_BACK', { version, reached });
  }

  distrustVersions(): void {
    this.#trustsVersions = false;
  }

  /**
   * Throws `OBJECT_MALFORMED`, so that the object is requested again: only this response may be damaged. An
   * object that stays malformed is skipped, because the watch would otherwise never pass it.
   */
  malformed(error: unknown): void {
    if (++this.#malformed < MAX_MALFORMED) throw informerError('OBJECT_MALFORMED', {}, error);
  }

  /** A whole list is in the store: objects of equal versions are the same from now on. */
  listed(): void {
    this.#malformed = 0;
    this.knowsVersions = true;
  }

  /** An event has arrived whose object has a version, or `""`. The next malformed object is counted from 0. */
  parsed(version: string, reached: string): void {
    if (version !== '') this.checkOrder(version, reached);
    this.#malformed = 0;
  }
}
