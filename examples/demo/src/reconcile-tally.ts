import type { Cause } from '@keelson/manager';

/** Counts the runs of the controllers: all, per second, and by cause. */
export class ReconcileTally {
  readonly #counts = new Map<string, number>();
  readonly #bySource = new Map<string, number>();
  readonly #marks = new Map<string, { at: number; count: number; rate: number | undefined }>();
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

  /** Runs per second in the last whole second or more; `undefined` before the first second. */
  perSecond(controller: string): number | undefined {
    const now = this.#now();
    const count = this.total(controller);
    const mark = this.#marks.get(controller);
    if (mark === undefined) {
      this.#marks.set(controller, { at: now, count, rate: undefined });
      return undefined;
    }
    if (now - mark.at < 1000) return mark.rate;
    const rate = Math.round(((count - mark.count) * 1000) / (now - mark.at));
    this.#marks.set(controller, { at: now, count, rate });
    return rate;
  }
}
