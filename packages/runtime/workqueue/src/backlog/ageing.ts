/**
 * Decides when a lower level hands out an entry although a higher one has entries. An entry rises by one level for each
 * `ageAfter` that it was ready; only levels with an entry that can be handed out count. Entries that have risen to the
 * highest level alternate with the entries of that level, so that neither block the other.
 */
export class Ageing {
  #ageAfter: number;
  /** No entry rises before this time, so `take` need not look at the lower levels. */
  #dueAt = Infinity;
  #rank = 0;
  #oldestAt = Infinity;
  /** True if the last entry that was handed out had risen. */
  #hadTurn = false;

  /** `ageAfter` in ms; 0 means that no entry rises. */
  constructor(ageAfter: number) {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
  }

  /** Replaces `ageAfter`. The next hand-out checks every level, because all entries now rise at other times. */
  replace(ageAfter: number): void {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
    this.#dueAt = -Infinity;
  }

  /**
   * Records when an entry became ready. The caller must call it for each entry that becomes the first one of a list.
   */
  notice(readyAt: number): void {
    const dueAt = readyAt + this.#ageAfter;
    if (dueAt < this.#dueAt) this.#dueAt = dueAt;
  }

  /** Begins a hand-out. Returns true if an entry may have risen; the caller then calls `offer` for each level. */
  begin(now: number): boolean {
    if (now < this.#dueAt) {
      this.#hadTurn = false;
      return false;
    }
    this.#dueAt = Infinity;
    this.#rank = 0;
    this.#oldestAt = Infinity;
    return true;
  }

  /**
   * Offers the next entry of each level, the highest level first. Returns true for an entry that has risen to the
   * highest level and is older than those offered before.
   */
  offer(readyAt: number, now: number): boolean {
    this.notice(readyAt);
    const rank = this.#rank;
    this.#rank += 1;
    if (rank === 0 || now < readyAt + rank * this.#ageAfter || readyAt >= this.#oldestAt)
      return false;
    this.#oldestAt = readyAt;
    return true;
  }

  /** Ends a hand-out. Returns true if the risen entry is handed out, false if the highest level hands out its own. */
  end(hasRisen: boolean): boolean {
    this.#hadTurn = hasRisen && !this.#hadTurn;
    return this.#hadTurn;
  }
}
