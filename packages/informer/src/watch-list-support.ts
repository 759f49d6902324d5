/** How long a server that would not do it is not asked again. */
const memory = 10 * 60_000;

/** Remembers, for all watches of one server, whether it can send the initial state as a watch. */
export class WatchListSupport {
  readonly #now: () => number;
  #refusedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isExpected(): boolean {
    return this.#refusedAt === undefined || this.#now() - this.#refusedAt > memory;
  }

  refused(): void {
    this.#refusedAt = this.#now();
  }
}
