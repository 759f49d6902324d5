/** The label of the objects that the runs write into. */
export const runLabel = 'example.com/run';

/** One write of a run, in the order in which the API server stored the writes. */
export interface RunStep {
  readonly key: string;
  /** The process that runs. */
  readonly replica: string;
  /** The name of the run, unique for all replicas. */
  readonly run: string;
  readonly step: 'begin' | 'end';
  /** The time before the write, in milliseconds of the clock that all processes of the machine share. */
  readonly at: number;
}

/** A run that another replica's run of the same key followed before it had ended. */
export interface Interruption {
  readonly key: string;
  readonly run: string;
  readonly replica: string;
  readonly by: string;
}

/** The time that passed until other replicas ran all keys of one. */
export interface Takeover {
  readonly keys: number;
  readonly milliseconds: number;
}

/** The runs of one key. */
interface KeyHistory {
  /** The first step of each run. */
  readonly begins: RunStep[];
  /** The latest step of the latest run. */
  latest: RunStep;
}

/** The runs of all keys, in the order in which the API server stored their writes. */
export class RunRecord {
  /** Writes of a run that came after a run of the same key in another replica had begun. */
  readonly lateWrites: string[] = [];
  readonly interruptions: Interruption[] = [];
  readonly #keys = new Map<string, KeyHistory>();
  #changed = Promise.withResolvers<void>();

  add(step: RunStep): void {
    const history = this.#keys.get(step.key);
    if (history === undefined) this.#keys.set(step.key, { begins: [step], latest: step });
    else this.#follow(history, step);
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }

  /** Resolves when the condition holds. */
  async until(holds: (record: RunRecord) => boolean): Promise<void> {
    while (!holds(this)) await this.#changed.promise;
  }

  /** True if each of these replicas runs keys, and no other one has begun the latest run of a key, all after a time. */
  isSharedBy(replicas: readonly string[], keys: number, since: number): boolean {
    const latest = [...this.#keys.values()].flatMap(({ begins }) => begins.at(-1) ?? []);
    const owners = new Set(latest.map(({ replica }) => replica));
    return (
      latest.length === keys &&
      latest.every(({ at }) => at > since) &&
      owners.size === replicas.length &&
      replicas.every((replica) => owners.has(replica))
    );
  }

  /** True if a run of the replica has begun and not ended. */
  hasOpenRun(replica: string): boolean {
    return [...this.#keys.values()].some(
      ({ latest }) => latest.replica === replica && latest.step !== 'end',
    );
  }

  /** True if other replicas have begun the latest runs of all keys. */
  isHandedOver(replica: string): boolean {
    return [...this.#keys.values()].every(({ latest }) => latest.replica !== replica);
  }

  /** The steps of a replica after a time that began a run. */
  beginsOf(replica: string, since: number): readonly RunStep[] {
    return [...this.#keys.values()].flatMap(({ begins }) =>
      begins.filter((begin) => begin.replica === replica && begin.at > since),
    );
  }

  /** The time from a moment until other replicas had begun a run of each key that the replica ran last. */
  takeover(replica: string, since: number): Takeover {
    const times = [...this.#keys.values()].flatMap(({ begins }) => {
      const last = begins.findLastIndex((begin) => begin.replica === replica);
      const next = last < 0 ? undefined : begins[last + 1];
      return next === undefined || next.at < since ? [] : next.at - since;
    });
    return { keys: times.length, milliseconds: Math.max(...times) };
  }

  /** The longest time after a moment for which a key was not run, in milliseconds. */
  longestPause(since: number): number {
    const pauses = [...this.#keys.values()].flatMap(({ begins }) =>
      begins.map(({ at }, index) => (at < since ? 0 : at - (begins[index - 1]?.at ?? at))),
    );
    return Math.max(...pauses);
  }

  #follow(history: KeyHistory, step: RunStep): void {
    const known = history.begins.findIndex(({ run }) => run === step.run);
    if (known < 0) this.#begin(history, step);
    else this.#continue(history, step, history.begins.slice(known + 1));
  }

  #begin(history: KeyHistory, step: RunStep): void {
    const { run, replica, step: latestStep } = history.latest;
    if (replica !== step.replica && latestStep !== 'end')
      this.interruptions.push({ key: step.key, run, replica, by: step.replica });
    history.begins.push(step);
    history.latest = step;
  }

  #continue(history: KeyHistory, step: RunStep, laterRuns: readonly RunStep[]): void {
    if (laterRuns.length === 0) history.latest = step;
    const other = laterRuns.find(({ replica }) => replica !== step.replica);
    if (other !== undefined)
      this.lateWrites.push(`${step.key}: ${step.step} of ${step.run} after ${other.run}`);
  }
}
