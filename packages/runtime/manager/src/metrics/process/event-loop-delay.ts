// The delay is that of the real event loop: the fake timers of a test replace only the globals.
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';

/** Delays in nanoseconds, as Node samples them: with the milliseconds between two samples. */
export type DelayHistogram = Pick<
  RecordableHistogram,
  'count' | 'min' | 'max' | 'mean' | 'stddev' | 'percentile'
>;

/** The event loop that is sampled, and the clock. */
export interface SampledLoop {
  /** Monotonic milliseconds. */
  now(): number;
  /** The share of the time since the last call in which the event loop had work. */
  utilization(): number;
  /** Calls `fire` after some milliseconds, without keeping the process alive. Returns a function that prevents it. */
  startTimer(milliseconds: number, fire: () => void): () => void;
}

/** Milliseconds between two samples while the event loop has work. */
const RESOLUTION_MS = 10;
/** Milliseconds between two samples while it has none. A sample then costs a wake-up of the process. */
const IDLE_INTERVAL_MS = 200;
/** The number of samples in a row that find the event loop idle, until the interval becomes longer. */
const IDLE_SAMPLES = 100;
/** The share of the time from which the event loop counts as busy. */
const BUSY_SHARE = 0.05;
/** The age in milliseconds from which a histogram is read; it is reset at twice this age. */
const WINDOW_MS = 60_000;

/**
 * Samples the delay of the event loop between `start` and `stop`. Each read covers the last one to two minutes:
 * two histograms restart in turn, and a read returns the older one. Reads do not change the samples.
 *
 * The event loop of an idle process is sampled 5 times a second instead of 100 times, because each sample wakes it up.
 * A sample counts for the ones that it replaces. The first delay after idle time may be measured too short by up to
 * 200 ms.
 */
export class EventLoopDelayMonitor {
  #older = createHistogram();
  #newer = createHistogram();
  #sum = 0;
  #count = 0;
  readonly #loop: SampledLoop;
  #stopTimer: (() => void) | undefined;
  #swapTimer: NodeJS.Timeout | undefined;
  #interval = RESOLUTION_MS;
  #idleSamples = 0;
  #sampledAt = 0;

  constructor(loop: SampledLoop = ownLoop()) {
    this.#loop = loop;
  }

  start(): void {
    if (this.#stopTimer !== undefined) return;
    this.#interval = RESOLUTION_MS;
    this.#idleSamples = 0;
    this.#sampleLater();
    this.#swapTimer = setInterval(() => this.#swap(), WINDOW_MS).unref();
  }

  stop(): void {
    clearInterval(this.#swapTimer);
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** The samples of the last one to two minutes. */
  get recent(): DelayHistogram {
    return this.#older;
  }

  /** The number of samples since the first start, and the sum of their delays in seconds. */
  get totals(): { readonly sum: number; readonly count: number } {
    return { sum: this.#sum, count: this.#count };
  }

  #sampleLater(): void {
    this.#sampledAt = this.#loop.now();
    this.#stopTimer = this.#loop.startTimer(this.#interval, () => this.#sample());
  }

  #sample(): void {
    const interval = this.#interval;
    const delay = Math.max(0, this.#loop.now() - this.#sampledAt - interval);
    const isIdle = this.#loop.utilization() < BUSY_SHARE && delay < RESOLUTION_MS;
    this.#record(delay, isIdle ? interval / RESOLUTION_MS : 1);
    this.#idleSamples = isIdle ? this.#idleSamples + 1 : 0;
    this.#interval = this.#idleSamples < IDLE_SAMPLES ? RESOLUTION_MS : IDLE_INTERVAL_MS;
    this.#sampleLater();
  }

  /** Records a delay in milliseconds, which counts for several samples of an idle event loop. */
  #record(delay: number, times: number): void {
    const nanoseconds = Math.round((RESOLUTION_MS + delay) * 1e6);
    for (let recorded = 0; recorded < times; recorded += 1) {
      this.#older.record(nanoseconds);
      this.#newer.record(nanoseconds);
    }
    this.#sum += (delay * times) / 1000;
    this.#count += times;
  }

  #swap(): void {
    this.#older.reset();
    [this.#older, this.#newer] = [this.#newer, this.#older];
  }
}

/** The event loop of this thread. */
function ownLoop(): SampledLoop {
  let last = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    utilization() {
      const before = last;
      last = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(last, before).utilization;
    },
    startTimer(milliseconds, fire) {
      const timer = setTimeout(fire, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Subtracts the sampling interval, because Node measures the nanoseconds between two samples. */
export function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}
