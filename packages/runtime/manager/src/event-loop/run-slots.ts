/**
 * The runs that have begun and not ended. Each has a slot, which the next run uses again. V8 keeps the replaced tables of
 * a `Map` or a `Set` alive when entries are deleted one by one, with all ended runs that are in them, until a full
 * garbage collection.
 */
export class RunSlots<Run> implements Iterable<Run> {
  readonly #runs: (Run | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#runs.length - this.#free.length;
  }

  /** Adds a run, and returns its slot. */
  add(run: Run): number {
    const slot = this.#free.pop() ?? this.#runs.length;
    this.#runs[slot] = run;
    return slot;
  }

  /** Frees the slot of a run. Returns the run; `undefined` if the slot is free. */
  remove(slot: number): Run | undefined {
    const run = this.#runs[slot];
    if (run === undefined) return undefined;
    this.#runs[slot] = undefined;
    this.#free.push(slot);
    return run;
  }

  clear(): void {
    this.#runs.length = 0;
    this.#free.length = 0;
  }

  *[Symbol.iterator](): Generator<Run, void, undefined> {
    for (const run of this.#runs) if (run !== undefined) yield run;
  }
}
