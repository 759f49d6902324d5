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
  /** Milliseconds of processor time that the process has used. */
  cpu(): number;
  /** Calls `fire` after some milliseconds, without keeping the process alive. */
  startTimer(milliseconds: number, fire: () => void): SampleTimer;
}

/** A timer that has been started. */
export interface SampleTimer {
  /** Starts it again with the same time. */
  refresh(): void;
  stop(): void;
}

/** Milliseconds between two samples while the event loop has work. */
const RESOLUTION_MS = 10;
/** Milliseconds between two samples while it has none. A sample then costs a wake-up of the process. */
const IDLE_INTERVAL_MS = 200;
/** The number of samples of a busy process after which it is asked again whether it is busy. */
const SAMPLES_PER_CHECK = 100;
/** The share of the time from which a process counts as busy by its processor time. The samples themselves take 1 %. */
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
  #timer: SampleTimer | undefined;
  #interval = RESOLUTION_MS;
  #samples = 0;
  #sampledAt = 0;
  #checkedAt = 0;
  #swappedAt = 0;
  #cpu = 0;

  constructor(loop: SampledLoop = ownLoop) {
    this.#loop = loop;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#interval = RESOLUTION_MS;
    this.#samples = 0;
    this.#cpu = this.#loop.cpu();
    this.#sampledAt = this.#loop.now();
    this.#checkedAt = this.#sampledAt;
    this.#swappedAt = this.#sampledAt;
    this.#timer = this.#loop.startTimer(this.#interval, this.#sample);
  }

  stop(): void {
    this.#timer?.stop();
    this.#timer = undefined;
  }

  /** The samples of the last one to two minutes. */
  get recent(): DelayHistogram {
    return this.#older;
  }

  /** The number of samples since the first start, and the sum of their delays in seconds. */
  get totals(): { readonly sum: number; readonly count: number } {
    return { sum: this.#sum, count: this.#count };
  }

  /** Records a delay. A sample of an idle event loop counts for those that it replaces. */
  readonly #sample = (): void => {
    const now = this.#loop.now();
    if (now - this.#swappedAt >= WINDOW_MS) this.#swap(now);
    const delay = Math.max(0, now - this.#sampledAt - this.#interval);
    const times = delay < RESOLUTION_MS ? this.#interval / RESOLUTION_MS : 1;
    const nanoseconds = Math.round((RESOLUTION_MS + delay) * 1e6);
    for (let recorded = 0; recorded < times; recorded += 1) {
      this.#older.record(nanoseconds);
      this.#newer.record(nanoseconds);
    }
    this.#sum += (delay * times) / 1000;
    this.#count += times;
    this.#samples += 1;
    this.#sampledAt = now;
    const isCheck = this.#interval > RESOLUTION_MS || this.#samples % SAMPLES_PER_CHECK === 0;
    if (isCheck && this.#changesInterval(now)) {
      this.#timer = this.#loop.startTimer(this.#interval, this.#sample);
    } else this.#timer?.refresh();
  };

  /** Chooses the interval by the processor time since the last check. It does not depend on other processes. */
  #changesInterval(now: number): boolean {
    const cpu = this.#loop.cpu();
    const isBusy = cpu - this.#cpu >= BUSY_SHARE * (now - this.#checkedAt);
    const former = this.#interval;
    this.#interval = isBusy ? RESOLUTION_MS : IDLE_INTERVAL_MS;
    this.#checkedAt = now;
    this.#cpu = cpu;
    return this.#interval !== former;
  }

  #swap(now: number): void {
    this.#swappedAt = now;
    this.#older.reset();
    [this.#older, this.#newer] = [this.#newer, this.#older];
  }
}

/** The event loop of this thread. */
const ownLoop: SampledLoop = {
  now: performance.now.bind(performance),
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  startTimer(milliseconds, fire) {
    const timer = setTimeout(fire, milliseconds).unref();
    return { refresh: timer.refresh.bind(timer), stop: () => clearTimeout(timer) };
  },
};

/** Subtracts the sampling interval, because Node measures the nanoseconds between two samples. */
export function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}
