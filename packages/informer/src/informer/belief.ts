import { informerError } from '../errors.ts';
import { isOlder } from '../reflector/resource-version.ts';

/** Times that an object is asked for until it is taken for one that nobody can read. */
const mostMalformed = 3;

/** How far a server is believed, or whoever stands between it and us. */
export class Belief {
  /** An object of the same version is the same. */
  knowsVersions = true;
  #trustsVersions = true;
  /** Objects in a row that could not be read. */
  #malformed = 0;

  /** A watch goes forwards: what is older comes from somebody who is not where we are. Throws `WATCH_WENT_BACK`. */
  checkOrder(version: string, reached: string): void {
    if (!this.#trustsVersions || !isOlder(version, reached)) return;
    throw informerError('WATCH_WENT_BACK', { version, reached });
  }

  distrustVersions(): void {
    this.#trustsVersions = false;
  }

  /**
   * An object cannot be read. It is asked for again (throws `OBJECT_MALFORMED`): what tore it may not
   * tear it twice. Only one that never can be read is passed over, or nothing behind it would ever be seen.
   */
  malformed(error: unknown): void {
    if (++this.#malformed < mostMalformed) throw informerError('OBJECT_MALFORMED', {}, error);
  }

  /** What came was read. */
  understood(): void {
    this.#malformed = 0;
  }
}
