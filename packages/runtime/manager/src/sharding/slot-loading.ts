export interface SlotLoadingOptions {
  /** Grows with each change that adds a slot to those that are cached. */
  readonly version: () => number;
  /** Makes the caches follow the present slots. It does not reject. */
  readonly load: () => Promise<void>;
  /** Called with slots whose objects are cached. `waited`: the milliseconds since their claims. */
  readonly loaded: (slots: readonly number[], waited: readonly number[]) => void;
  readonly now: () => number;
}

interface LoadingSlot {
  /** The version of the slots that must be cached first. */
  readonly version: number;
  /** The time of the claim; `undefined` for a slot that this replica had not given up. */
  readonly claimedAt: number | undefined;
}

/** Holds back the slots that this replica may run until its caches have their objects. */
export class SlotLoading {
  readonly #options: SlotLoadingOptions;
  readonly #slots = new Map<number, LoadingSlot>();
  #loadedVersion = 0;
  #isLoading = false;
  /** True if the slots have changed since the present load began. */
  #isDue = false;

  constructor(options: SlotLoadingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#slots.size;
  }

  has(slot: number): boolean {
    return this.#slots.has(slot);
  }

  /** Adds slots that this replica may run. Those whose objects are cached start at once. */
  add(slots: readonly number[], waited: readonly number[]): void {
    const version = this.#options.version();
    const now = this.#options.now();
    for (const [at, slot] of slots.entries()) {
      const milliseconds = waited[at];
      const claimedAt = milliseconds === undefined ? undefined : now - milliseconds;
      this.#slots.set(slot, { version, claimedAt });
    }
    this.#start();
    if (version > this.#loadedVersion) void this.follow();
  }

  /** Removes slots that this replica may no longer run. */
  remove(slots: readonly number[]): void {
    for (const slot of slots) this.#slots.delete(slot);
  }

  /** Loads the present slots. A load that runs is followed by another one. */
  async follow(): Promise<void> {
    this.#isDue = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#isDue) {
      this.#isDue = false;
      const version = this.#options.version();
      await this.#options.load();
      this.#loadedVersion = version;
      this.#start();
    }
    this.#isLoading = false;
  }

  #start(): void {
    const now = this.#options.now();
    const ready = [...this.#slots].filter(([, { version }]) => version <= this.#loadedVersion);
    if (ready.length === 0) return;
    for (const [slot] of ready) this.#slots.delete(slot);
    const claims = ready.flatMap(([, { claimedAt }]) => claimedAt ?? []);
    this.#options.loaded(
      ready.map(([slot]) => slot),
      claims.map((claimedAt) => now - claimedAt),
    );
  }
}
