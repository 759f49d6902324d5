import { ReadyModel, type OrderedEntry } from './ready-model.test-support.ts';

/** The first delay of the backoff of the model; `LONGEST` is the longest. */
export const BASE = 4;
export const LONGEST = 40;

export interface ModelEntry extends OrderedEntry {
  readyAt: number;
  /** The time beyond which debounced adds do not postpone the entry: that of adds without debounce. */
  fixed: number;
  /** The end of the debounce; `Infinity` before the first debounced add. */
  latest: number;
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
  failures: number;
  exponent: number;
  deadline: number;
  /** Runs between the failure that set the deadline and the deadline. */
  earlyRuns: number;
  /** The time when the entry would be due without a backoff. */
  wantedAt: number;
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
      const latest = isDebounced ? this.now + (what.debounce?.maxWait ?? 0) : Infinity;
      const due = isFailure ? this.#fail(what) : this.#dueOf(what, latest);
      this.#enter({ key, priority, readyAt: due, sources: asking, latest, isDebounced });
      return;
    }
    for (const source of asking) entry.sources.add(source);
    if (priority > entry.priority) this.#raise(entry, priority);
    if (isFailure) this.#advance(entry, this.#fail(what));
    else if (entry.ready !== undefined) return;
    else if (isDebounced) this.#postpone(entry, what);
    else this.#advance(entry, this.#dueOf(what, Infinity));
  }

  take(): ModelEntry | undefined {
    this.#promote();
    const best = this.#order.choose(this.#available(), this.now);
    if (best === undefined) return undefined;
    this.#order.spend(best, () => {
      this.entries.delete(best.key);
      this.#changed();
    });
    const { sources } = best;
    this.held.set(best.key, { startedAt: this.now, sources, hasFailed: false });
    const backoff = this.backoffs.get(best.key);
    if (backoff !== undefined) {
      backoff.wantedAt = Infinity;
      if (this.now < backoff.deadline) backoff.earlyRuns += 1;
    }
    return best;
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

  forget(key: string): void {
    const wantedAt = this.backoffs.get(key)?.wantedAt ?? Infinity;
    this.backoffs.delete(key);
    const entry = this.entries.get(key);
    if (entry !== undefined) this.#advance(entry, wantedAt);
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
    const backoff = this.backoffs.get(key);
    const hold = this.held.get(key);
    if (hold === undefined || hold.hasFailed) this.backoffs.delete(key);
    else if (backoff !== undefined) backoff.wantedAt = Infinity;
    this.#changed();
    return 1;
  }

  ready(): ModelEntry[] {
    return [...this.entries.values()].filter((entry) => entry.ready !== undefined);
  }

  #available(): ModelEntry[] {
    return this.ready().filter((entry) => !this.held.has(entry.key));
  }

  #changed(): void {
    this.#order.update(this.#available());
  }

  #makeReady(entry: ModelEntry): void {
    entry.ready = this.#count++;
    entry.since = this.now;
    this.#changed();
  }

  /** A raised entry leaves its group and joins the end of the group in the new priority. */
  #raise(entry: ModelEntry, priority: number): void {
    entry.priority = priority;
    if (entry.ready !== undefined) entry.ready = this.#count++;
    this.#changed();
  }

  /** A failure at or after the deadline increases the exponent; an earlier one does not. */
  #fail({ key, after, backoff: given }: ModelAdd): number {
    const hold = this.held.get(key);
    if (hold !== undefined) hold.hasFailed = true;
    const backoff = this.backoffs.get(key);
    const failures = (backoff?.failures ?? 0) + 1;
    if (backoff !== undefined && this.now < backoff.deadline) {
      backoff.failures = failures;
      return Math.max(backoff.deadline, this.now + after);
    }
    const exponent = backoff === undefined ? 0 : backoff.exponent + 1;
    const deadline = this.now + (given ?? Math.min(BASE * 2 ** exponent, LONGEST));
    this.backoffs.set(key, { failures, exponent, deadline, earlyRuns: 0, wantedAt: Infinity });
    return Math.max(deadline, this.now + after);
  }

  #dueOf(what: ModelAdd, latest: number): number {
    const { key, after, rateLimited, backoff: given, debounce } = what;
    const debounced = this.now + (rateLimited ? 0 : (debounce?.wait ?? 0));
    const wanted = Math.max(this.now, this.now + after, Math.min(debounced, latest));
    const backoff = this.backoffs.get(key);
    const inWindow = backoff !== undefined && this.now < backoff.deadline;
    if (rateLimited) {
      const exponent = backoff === undefined ? 0 : backoff.exponent + 1;
      const delay = given ?? Math.min(BASE * 2 ** exponent, LONGEST);
      return Math.max(wanted, inWindow ? backoff.deadline : this.now + delay);
    }
    if (!inWindow || backoff.earlyRuns === 0 || wanted >= backoff.deadline) return wanted;
    backoff.wantedAt = Math.min(backoff.wantedAt, wanted);
    return backoff.deadline;
  }

  #enter(
    what: Pick<ModelEntry, 'key' | 'priority' | 'readyAt' | 'sources' | 'latest'> & {
      readonly isDebounced: boolean;
    },
  ): void {
    const { isDebounced, ...rest } = what;
    const added = this.#count++;
    const fixed = isDebounced ? Infinity : rest.readyAt;
    const entry = { ...rest, fixed, ready: undefined, since: 0, added };
    this.entries.set(entry.key, entry);
    if (entry.readyAt <= this.now) this.#makeReady(entry);
  }

  /** A debounced add moves the entry to its own time, between the limits of the entry. */
  #postpone(entry: ModelEntry, what: ModelAdd): void {
    if (entry.readyAt <= this.now) return;
    entry.latest = Math.min(entry.latest, this.now + (what.debounce?.maxWait ?? Infinity));
    entry.readyAt = Math.min(entry.fixed, this.#dueOf(what, entry.latest));
    if (entry.readyAt <= this.now) this.#makeReady(entry);
  }

  #advance(entry: ModelEntry, due: number): void {
    if (entry.ready !== undefined) return;
    entry.fixed = Math.min(entry.fixed, due);
    entry.readyAt = Math.min(entry.readyAt, due);
    if (due <= this.now) this.#makeReady(entry);
  }

  #promote(): void {
    const due = [...this.entries.values()].filter(
      (entry) => entry.ready === undefined && entry.readyAt <= this.now,
    );
    due.sort((one, other) => one.readyAt - other.readyAt || one.added - other.added);
    for (const entry of due) this.#makeReady(entry);
  }
}
