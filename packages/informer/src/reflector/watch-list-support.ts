/** How long a refusal is remembered: a server may be upgraded, or be replaced behind its address. */
const REFUSAL_MS = 10 * 60_000;

/** Remembers for one API group of a server whether it sends the initial state as a watch. */
export class WatchListSupport {
  readonly #now: () => number;
  #refusedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isExpected(): boolean {
    return this.#refusedAt === undefined || this.#now() - this.#refusedAt > REFUSAL_MS;
  }

  refused(): void {
    this.#refusedAt = this.#now();
  }
}

/**
 * The API groups of one server. Each is served by a server of its own choice (kube-apiserver itself, or
 * one that is aggregated), so that the refusal of one says nothing about another.
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
