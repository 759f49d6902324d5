import { monitorEventLoopDelay } from 'node:perf_hooks';

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** Delays in nanoseconds, as Node samples them. */
export type DelayHistogram = Pick<
  IntervalHistogram,
  'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile'
>;

/** Milliseconds between two samples. */
const resolutionMs = 10;
/** A histogram is read from this age on, and dropped at twice this age. */
const windowMs = 60_000;

/**
 * Samples the delay of the event loop between `start` and `stop`. A read covers the last one to
 * two minutes, however often it happens: two histograms restart alternately, and the older one is read.
 */
export class EventLoopDelayMonitor {
  #older = createHistogram();
  #newer = createHistogram();
  /** The one whose samples are added to the totals when it begins again. */
  readonly #counted = this.#older;
  #sum = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    for (const histogram of [this.#older, this.#newer]) histogram.enable();
    this.#timer ??= setInterval(() => this.#turnOver(), windowMs).unref();
  }

  stop(): void {
    for (const histogram of [this.#older, this.#newer]) histogram.disable();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The last one to two minutes. */
  get recent(): DelayHistogram {
    return this.#older;
  }

  /** All samples since the first start: how many, and their delays in seconds, added up. */
  get totals(): { readonly sum: number; readonly count: number } {
    const { count, mean } = this.#counted;
    const sum = count === 0 ? 0 : count * delaySeconds(mean);
    return { sum: this.#sum + sum, count: this.#count + count };
  }

  #turnOver(): void {
    if (this.#older === this.#counted) {
      const { sum, count } = this.totals;
      this.#sum = sum;
      this.#count = count;
    }
    this.#older.reset();
    [this.#older, this.#newer] = [this.#newer, this.#older];
  }
}

/** Node measures the time between two samples in nanoseconds: their regular distance is not a delay. */
export function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}

function createHistogram(): IntervalHistogram {
  return monitorEventLoopDelay({ resolution: resolutionMs });
}
