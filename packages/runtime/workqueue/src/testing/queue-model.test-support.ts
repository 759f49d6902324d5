import { ReadyModel, type OrderedEntry } from './ready-model.test-support.ts';

/** The first delay of the backoff of the model; `LONGEST` is the longest. */
export const BASE = 4;
export const LONGEST = 40;

export interface ModelEntry extends OrderedEntry {
  readyAt: number;
  /** The earliest time of a retry; `Infinity` without one. */
  retryAt: number;
  /** The earliest time that an add without debounce requested, whatever the backoff. */
  plainAt: number;
  /** The time that the last debounced add requested, whatever the backoff. */
  debouncedAt: number;
  /** The end of the debounce; `Infinity` before the first debounced add. */
  latest: number;
  /**
   * The same two times of the adds that wait for the end of the present backoff window; `Infinity` without one. Those of a
   * former window are past.
   */
  heldPlainAt: number;
  heldDebouncedAt: number;
  /** True after a take refused the entry, until it is resumed. */
  isSuspended: boolean;
  /** The position among the adds, which decides between equal deadlines. */
  readonly added: number;
  /** The sources of the entry; `undefined` is an add without a cause. */
  readonly sources: Set<string | undefined>;
}

export interface ModelAdd {
  readonly key: string;
  readonly priority: number;
  readonly after: number;
  readonly rateLimited: boolean;
  readonly backoff?: number | undefined;
  readonly debounce?: { readonly wait: number; readonly maxWait: number } | undefined;
  readonly sources: readonly string[];
}

export interface ModelHold {
  readonly startedAt: number;
  readonly sources: Set<string | undefined>;
  hasFailed: boolean;
}

export interface ModelBackoff {
  /** The failures at or after a deadline. */
  failures: number;
  deadline: number;
  /** Runs between the failure that set the deadline and the deadline. */
  earlyRuns: number;
}

/** The rules of the queue in the simplest form: a list that is always searched completely. */
export class QueueModel {
  now = 0;
  readonly entries: Map<string, ModelEntry> = new Map();
  readonly held: Map<string, ModelHold> = new Map();
  readonly backoffs: Map<string, ModelBackoff> = new Map();
  readonly #order = new ReadyModel();
  #count = 0;

  add(what: ModelAdd): void {
    const { key, priority, sources } = what;
    const hold = this.held.get(key);
    const isFailure =
      what.rateLimited && (hold === undefined ? !this.entries.has(key) : !hold.hasFailed);
    const entry = this.entries.get(key);
    const isDebounced = what.debounce !== undefined && what.debounce.wait > 0 && !what.rateLimited;
    const asking = new Set<string | undefined>(sources);
    if (isFailure && hold !== undefined) for (const source of hold.sources) asking.add(source);
    if (asking.size === 0) asking.add(undefined);
    if (entry === undefined) {
      const created = this.#newEntry(key, priority, asking);
      this.entries.set(key, created);
      this.#ask(created, what, isFailure);
      return;
    }
    for (const source of asking) entry.sources.add(source);
    if (priority > entry.priority) this.#raise(entry, priority);
    // An entry that is due is not postponed.
    if (isDebounced && entry.readyAt <= this.now) return;
    if (isFailure || entry.ready === undefined) this.#ask(entry, what, isFailure);
  }

  /** The entries of the keys in `refused` are suspended instead. */
  take(refused: readonly string[] = []): ModelEntry | undefined {
    this.#promote();
    const best = this.#order.choose(this.#available(), this.now);
    if (best === undefined) return undefined;
    if (refused.includes(best.key)) {
      best.isSuspended = true;
      this.#changed();
      return this.take(refused);
    }
    this.#order.handOut();
    this.#order.spend(best, () => {
      this.entries.delete(best.key);
      this.#changed();
    });
    const { sources } = best;
    this.held.set(best.key, { startedAt: this.now, sources, hasFailed: false });
    const backoff = this.backoffs.get(best.key);
    if (backoff !== undefined && this.now < backoff.deadline) backoff.earlyRuns += 1;
    return best;
  }

  resume(key: string): boolean {
    const entry = this.entries.get(key);
    if (entry?.isSuspended !== true) return false;
    entry.isSuspended = false;
    this.#changed();
    return true;
  }

  done(key: string): void {
    this.held.delete(key);
    this.#changed();
  }

  /** Drops all entries except ready ones of held keys, as a drain does. */
  drain(): void {
    for (const entry of this.entries.values()) {
      if (entry.ready === undefined || !this.held.has(entry.key)) this.entries.delete(entry.key);
    }
    this.#changed();
  }

  /** Ends the backoff. The adds that waited for it are due at the times that they requested. */
  forget(key: string): void {
    this.backoffs.delete(key);
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    const wanted = Math.min(entry.heldPlainAt, entry.heldDebouncedAt);
    endWindow(entry);
    if (entry.ready !== undefined) return;
    entry.readyAt = Math.min(entry.readyAt, wanted);
    // Otherwise an entry that is due becomes ready at the next take.
    if (wanted <= this.now) this.#makeReady(entry);
  }

  withdraw(source: string): number {
    let purged = 0;
    for (const { sources } of this.held.values()) sources.delete(source);
    for (const [key, { sources }] of this.entries) {
      if (!sources.delete(source) || sources.size > 0) continue;
      this.purge(key);
      purged += 1;
    }
    return purged;
  }

  /** Returns the number of purged entries. */
  purge(key: string): number {
    if (!this.entries.delete(key)) return 0;
    const hold = this.held.get(key);
    if (hold === undefined || hold.hasFailed) this.backoffs.delete(key);
    this.#changed();
    return 1;
  }

  ready(): ModelEntry[] {
    return [...this.entries.values()].filter((entry) => entry.ready !== undefined);
  }

  #available(): ModelEntry[] {
    return this.ready().filter(({ key, isSuspended }) => !isSuspended && !this.held.has(key));
  }

  #changed(): void {
    this.#order.update(this.#available());
  }

  #makeReady(entry: ModelEntry): void {
    entry.ready = this.#count++;
    entry.since = this.now;
    this.#changed();
  }

  /** A raised entry leaves its group and joins the end of the group in the new priority, unless it is suspended. */
  #raise(entry: ModelEntry, priority: number): void {
    entry.priority = priority;
    if (entry.ready !== undefined && !entry.isSuspended) entry.ready = this.#count++;
    this.#changed();
  }

  #newEntry(key: string, priority: number, sources: Set<string | undefined>): ModelEntry {
    const never = {
      readyAt: Infinity,
      retryAt: Infinity,
      plainAt: Infinity,
      debouncedAt: Infinity,
      heldPlainAt: Infinity,
      heldDebouncedAt: Infinity,
    };
    const rest = { latest: Infinity, ready: undefined, since: 0, isSuspended: false };
    return { key, priority, sources, added: this.#count++, ...never, ...rest };
  }

  /**
   * Records the time that an add requests. The entry is due at the earliest requested time, where a debounced add
   * replaces those before it.
   */
  #ask(entry: ModelEntry, what: ModelAdd, isFailure: boolean): void {
    const { after, debounce, rateLimited } = what;
    const wanted = Math.max(this.now, this.now + after);
    const isDebounced = debounce !== undefined && debounce.wait > 0 && !rateLimited;
    const isHeldBack = this.#isHolding(entry.key);
    let due: number;
    if (rateLimited) {
      due = Math.max(isFailure ? this.#fail(what) : this.#retryAt(what), wanted);
      entry.retryAt = Math.min(entry.retryAt, due);
    } else if (isDebounced) {
      entry.latest = Math.min(entry.latest, this.now + debounce.maxWait);
      entry.debouncedAt = Math.max(wanted, Math.min(this.now + debounce.wait, entry.latest));
      entry.heldDebouncedAt = isHeldBack ? entry.debouncedAt : Infinity;
      due = Math.min(
        entry.retryAt,
        this.#held(entry, entry.plainAt),
        this.#held(entry, entry.debouncedAt),
      );
      entry.readyAt = due;
    } else {
      entry.plainAt = Math.min(entry.plainAt, wanted);
      if (isHeldBack) entry.heldPlainAt = Math.min(entry.heldPlainAt, wanted);
      due = this.#held(entry, wanted);
    }
    if (entry.ready !== undefined) return;
    entry.readyAt = Math.min(entry.readyAt, due);
    if (due <= this.now) this.#makeReady(entry);
  }

  #held({ key }: ModelEntry, wanted: number): number {
    const { deadline = -Infinity } = this.backoffs.get(key) ?? {};
    return this.#isHolding(key) ? Math.max(wanted, deadline) : wanted;
  }

  /** A failure at or after the deadline begins a new window; an earlier one changes nothing. */
  #fail({ key, backoff: given }: ModelAdd): number {
    const hold = this.held.get(key);
    if (hold !== undefined) hold.hasFailed = true;
    const backoff = this.backoffs.get(key);
    if (backoff !== undefined && this.now < backoff.deadline) return backoff.deadline;
    const deadline = this.now + (given ?? this.#delayOf(key));
    const failures = (backoff?.failures ?? 0) + 1;
    this.backoffs.set(key, { failures, deadline, earlyRuns: 0 });
    const entry = this.entries.get(key);
    if (entry !== undefined) endWindow(entry);
    return deadline;
  }

  /** The time of a retry that is not charged. */
  #retryAt({ key, backoff: given }: ModelAdd): number {
    const { deadline = -Infinity } = this.backoffs.get(key) ?? {};
    return this.now < deadline ? deadline : this.now + (given ?? this.#delayOf(key));
  }

  #delayOf(key: string): number {
    const failures = this.backoffs.get(key)?.failures ?? 0;
    return Math.min(BASE * 2 ** failures, LONGEST);
  }

  /** True until the end of a backoff whose early run is used. */
  #isHolding(key: string): boolean {
    const backoff = this.backoffs.get(key);
    return backoff !== undefined && backoff.earlyRuns > 0 && this.now < backoff.deadline;
  }

  #promote(): void {
    const due = [...this.entries.values()].filter(
      (entry) => entry.ready === undefined && entry.readyAt <= this.now,
    );
    due.sort((one, other) => one.readyAt - other.readyAt || one.added - other.added);
    for (const entry of due) this.#makeReady(entry);
  }
}

/** No add waits for the end of the former backoff window any more. */
function endWindow(entry: ModelEntry): void {
  entry.heldPlainAt = Infinity;
  entry.heldDebouncedAt = Infinity;
}
