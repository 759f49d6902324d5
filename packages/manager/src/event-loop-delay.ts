import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop was, in seconds, since it was last asked. */
export interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Over all time. */
  readonly sum: number;
  readonly count: number;
}

const resolutionMs = 10;

/** Samples the delay of the event loop between `start` and `stop`. */
export class EventLoopDelayMonitor {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  #sum = 0;
  #count = 0;

  start(): void {
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram.disable();
  }

  /** The quantiles begin anew with every reading, for a maximum of all time tells nothing. */
  read(): EventLoopDelay {
    const histogram = this.#histogram;
    const { count } = histogram;
    if (count > 0) {
      this.#count += count;
      this.#sum += count * delayOf(histogram.mean);
    }
    const reading = {
      p50: count === 0 ? 0 : delayOf(histogram.percentile(50)),
      p99: count === 0 ? 0 : delayOf(histogram.percentile(99)),
      max: count === 0 ? 0 : delayOf(histogram.max),
      sum: this.#sum,
      count: this.#count,
    };
    histogram.reset();
    return reading;
  }
}

/** Node measures the distance of two samples in nanoseconds: their regular distance is no delay. */
function delayOf(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
}
