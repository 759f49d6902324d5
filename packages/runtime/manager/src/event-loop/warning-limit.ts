/** Milliseconds in which each name is admitted once. */
const INTERVAL_MS = 60_000;
/** The number of names that are remembered. */
const MAX_NAMES = 500;

interface Admission {
  readonly at: number;
  /** The number of later warnings that were left out. */
  suppressed: number;
}

/** Admits one warning per name and minute, and counts the others. */
export class WarningLimit {
  readonly #now: () => number;
  /** The least recently admitted name is first. */
  readonly #admitted = new Map<string, Admission>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The number of warnings of this name that were left out since its last one; `undefined` if this one is left out. */
  admit(name: string): number | undefined {
    const now = this.#now();
    const last = this.#admitted.get(name);
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.suppressed += 1;
      return undefined;
    }
    this.#admitted.delete(name);
    this.#admitted.set(name, { at: now, suppressed: 0 });
    if (this.#admitted.size > MAX_NAMES) this.#forgetOldest();
    return last?.suppressed ?? 0;
  }

  #forgetOldest(): void {
    for (const name of this.#admitted.keys()) {
      this.#admitted.delete(name);
      return;
    }
  }
}
