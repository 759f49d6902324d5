/** Requests of one query within a second. Backoff allows fewer, even if every response ends at once. */
const MAX_PER_SECOND = 30;

/** Requests of one run. */
const MAX_PER_RUN = 20_000;

/** Finds requests that are repeated without a pause. */
export class RequestPace {
  #total = 0;
  #second = 0;
  readonly #counts = new Map<string, number>();

  /** Counts a request. Returns true if the requests have no pause. */
  exceeds(request: string, now: number): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(request) ?? 0) + 1;
    this.#counts.set(request, count);
    this.#total++;
    return count > MAX_PER_SECOND || this.#total > MAX_PER_RUN;
  }
}
