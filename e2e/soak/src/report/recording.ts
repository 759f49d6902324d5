import type { ReplicaSample } from '../replica/replicas.ts';
import { figures, valueOf, type Figure } from '../replica/sample.ts';

/** A sample with its time in seconds since the start. */
export interface TimedSample extends ReplicaSample {
  readonly at: number;
}

/** The limit of a figure at the last rest from its value at the first one. Connections of a pool open and close at any time. */
const allowed: Partial<Record<Figure, (first: number) => number>> = {
  heap: (first) => first * 1.25 + 5,
  sockets: (first) => first + 6,
  timers: (first) => first + 6,
  series: (first) => first * 1.1,
  handles: (first) => first,
};

/** The samples and faults of a soak. */
export class Recording {
  readonly samples: TimedSample[] = [];
  /** The samples at rest: no object of a system exists. */
  readonly rests: TimedSample[] = [];
  readonly faults: { readonly at: number; readonly name: string }[] = [];
  readonly #now: () => number;

  /** `now` returns the seconds since the start. */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(samples: readonly ReplicaSample[]): void {
    for (const sample of samples) this.samples.push({ ...sample, at: this.#now() });
  }

  rest(samples: readonly ReplicaSample[]): void {
    for (const sample of samples) this.rests.push({ ...sample, at: this.#now() });
  }

  fault(name: string): void {
    this.faults.push({ at: this.#now(), name });
  }

  /** The figures of a replica that are greater at its last rest than at its first one, a line each. */
  growth(): string[] {
    const lines: string[] = [];
    for (const rests of Map.groupBy(this.rests, ({ replica }) => replica).values()) {
      // A standby has not run a reconcile: its first rest as a leader shows what a leader needs.
      const [first, last] = [rests.find(({ isLeader }) => isLeader) ?? rests[0], rests.at(-1)];
      if (first === undefined || last === undefined) continue;
      // The queue of a standby keeps requests for its takeover.
      if (last.isLeader && last.queued > 0) {
        lines.push(`${last.replica}: ${last.queued} requests wait at rest`);
      }
      for (const [figure, limit] of Object.entries(allowed) as [Figure, (n: number) => number][]) {
        const [before, after] = [valueOf(first, figure), valueOf(last, figure)];
        if (after <= limit(before)) continue;
        lines.push(
          `${last.replica}: ${figures[figure]} at rest: ${before.toFixed(1)} after ${first.at.toFixed(0)} s, ${after.toFixed(1)} after ${last.at.toFixed(0)} s`,
        );
      }
    }
    return lines;
  }
}
