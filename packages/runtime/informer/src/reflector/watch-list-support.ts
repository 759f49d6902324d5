/**
 * Milliseconds for which the cache remembers that WatchList is unsupported. The server may be upgraded or replaced
 * later.
 */
const UNSUPPORTED_TTL_MS = 10 * 60_000;

/** Remembers whether the server of one API group supports WatchList. */
export class WatchListSupport {
  readonly #now: () => number;
  #unsupportedSince: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isExpected(): boolean {
    return (
      this.#unsupportedSince === undefined ||
      this.#now() - this.#unsupportedSince > UNSUPPORTED_TTL_MS
    );
  }

  unsupported(): void {
    this.#unsupportedSince = this.#now();
  }
}

/**
 * The support of WatchList for each API group of a server. Aggregated servers may serve some
 * groups, so support may differ between groups.
 */
export class WatchListSupports {
  readonly #now: () => number;
  readonly #groups = new Map<string, WatchListSupport>();

  constructor(now: () => number) {
    this.#now = now;
  }

  of(group: string): WatchListSupport {
    const found = this.#groups.get(group) ?? new WatchListSupport(this.#now);
    this.#groups.set(group, found);
    return found;
  }
}
