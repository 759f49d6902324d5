import type { Cause } from '@keelson/manager';

/** Counts the runs of the controllers, in all, per second, and by what caused them. */
export class ReconcileTally {
  readonly #counts = new Map<string, number>();
  readonly #bySource = new Map<string, number>();
  readonly #marks = new Map<string, { at: number; count: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  readonly count = (controller: string, causes: readonly Cause[]): void => {
    this.#counts.set(controller, this.total(controller) + 1);
    for (const source of new Set(causes.map((cause) => cause.source))) {
      this.#bySource.set(source, this.causedBy(source) + 1);
    }
  };

  /** Runs that a source (`watch ConfigMap`) caused, alone or with others. */
  causedBy(source: string): number {
    return this.#bySource.get(source) ?? 0;
  }

  total(controller: string): number {
    return this.#counts.get(controller) ?? 0;
  }

  /** All runs so far. */
  sum(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Runs per second since the last call. */
  perSecond(controller: string): number {
    const now = this.#now();
    const count = this.total(controller);
    const last = this.#marks.get(controller);
    this.#marks.set(controller, { at: now, count });
    if (last === undefined || now === last.at) return 0;
    return Math.round(((count - last.count) * 1000) / (now - last.at));
  }
}
