import { ReadyModel, type OrderedEntry } from './ready-model.test-support.ts';

/** The first delay of the backoff of the model; `LONGEST` is the longest. */
export const BASE = 4;
export const LONGEST = 40;

export interface ModelEntry extends OrderedEntry {
  readyAt: number;
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
    const due = isFailure ? this.#fail(what) : this.#dueOf(what);
    const asking = new Set<string | undefined>(sources);
    if (isFailure && hold !== undefined) for (const source of hold.sources) asking.add(source);
    if (asking.size === 0) asking.add(undefined);
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.#enter(key, priority, due, asking);
      return;
    }
    for (const source of asking) entry.sources.add(source);
    if (priority > entry.priority) this.#raise(entry, priority);
    this.#advance(entry, due);
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
      this.entries.delete(key);
      purged += 1;
      const backoff = this.backoffs.get(key);
      if (!this.held.has(key)) this.backoffs.delete(key);
      else if (backoff !== undefined) backoff.wantedAt = Infinity;
      this.#changed();
    }
    return purged;
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

  #dueOf({ key, after, rateLimited, backoff: given }: ModelAdd): number {
    const wanted = this.now + Math.max(after, 0);
    const backoff = this.backoffs.get(key);
    const inWindow = backoff !== undefined && this.now < backoff.deadline;
    if (rateLimited) {
      const exponent = backoff === undefined ? 0 : backoff.exponent + 1;
      const delay = given ?? Math.min(BASE * 2 ** exponent, LONGEST);
      return Math.max(wanted, inWindow ? backoff.deadline : this.now + delay);
    }
    if (!inWindow || backoff.earlyRuns === 0 || wanted >= backoff.deadline) return wanted;
    // A ready entry stays ready; only a waiting entry can become ready earlier.
    if (this.entries.get(key)?.ready === undefined) {
      backoff.wantedAt = Math.min(backoff.wantedAt, wanted);
    }
    return backoff.deadline;
  }

  #enter(key: string, priority: number, due: number, sources: Set<string | undefined>): void {
    const added = this.#count++;
    const entry = { key, priority, readyAt: due, ready: undefined, since: 0, added, sources };
    this.entries.set(key, entry);
    if (due <= this.now) this.#makeReady(entry);
  }

  #advance(entry: ModelEntry, due: number): void {
    if (entry.ready !== undefined) return;
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
