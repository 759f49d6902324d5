import { monitorEventLoopDelay } from 'node:perf_hooks';

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** Delays in nanoseconds, as Node samples them. */
export type DelayHistogram = Pick<
  IntervalHistogram,
  'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile'
>;

/** Milliseconds between two samples. */
const RESOLUTION_MS = 10;
/** The age in milliseconds from which a histogram is read; it is reset at twice this age. */
const WINDOW_MS = 60_000;

/**
 * Samples the delay of the event loop between `start` and `stop`. Each read covers the last one to two minutes:
 * two histograms restart in turn, and a read returns the older one. Reads do not change the samples.
 */
export class EventLoopDelayMonitor {
  #older = createHistogram();
  #newer = createHistogram();
  /** The histogram whose samples are added to the totals before each reset. */
  readonly #counted = this.#older;
  #sum = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    for (const histogram of [this.#older, this.#newer]) histogram.enable();
    this.#timer ??= setInterval(() => this.#swap(), WINDOW_MS).unref();
  }

  stop(): void {
    for (const histogram of [this.#older, this.#newer]) histogram.disable();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The samples of the last one to two minutes. */
  get recent(): DelayHistogram {
    return this.#older;
  }

  /** The number of samples since the first start, and the sum of their delays in seconds. */
  get totals(): { readonly sum: number; readonly count: number } {
    const { count, mean } = this.#counted;
    const sum = count === 0 ? 0 : count * delaySeconds(mean);
    return { sum: this.#sum + sum, count: this.#count + count };
  }

  #swap(): void {
    if (this.#older === this.#counted) {
      const { sum, count } = this.totals;
      this.#sum = sum;
      this.#count = count;
    }
    this.#older.reset();
    [this.#older, this.#newer] = [this.#newer, this.#older];
  }
}

/** Subtracts the sampling interval, because Node measures the nanoseconds between two samples. */
export function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}

function createHistogram(): IntervalHistogram {
  return monitorEventLoopDelay({ resolution: RESOLUTION_MS });
}
