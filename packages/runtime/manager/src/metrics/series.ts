import type { Labels } from './metric-definition.ts';

/** One value of a series in the form of prom-client. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name of the sample if it is not the name of the metric. */
  readonly metricName?: string;
}

/** The values of a metric for one set of labels. */
export interface Series {
  /** The values at a scrape; `name` is the name of the metric. */
  samples(name: string): Sample[];
  /** Sets every value to 0. */
  reset(): void;
}

/** A series that counts. */
export class CountedSeries implements Series {
  readonly #labels: Labels;
  #count = 0;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  get count(): number {
    return this.#count;
  }

  inc(by = 1): void {
    this.#count += by;
  }

  samples(): Sample[] {
    return [{ labels: this.#labels, value: this.#count }];
  }

  reset(): void {
    this.#count = 0;
  }
}

/** A series that counts durations by the buckets of a histogram. */
export class ObservedSeries implements Series {
  readonly #labels: Labels;
  /** The upper bounds of the buckets in seconds, in ascending order. */
  readonly #bounds: readonly number[];
  /** The number of durations per bucket; the last one is of the durations beyond all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = [...bounds, Infinity].map(() => 0);
  }

  /** The sum of all durations in seconds. */
  get sum(): number {
    return this.#sum;
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  samples(name: string): Sample[] {
    const labels = this.#labels;
    let count = 0;
    const buckets = this.#counts.map((inBucket, index) => {
      count += inBucket;
      const le = this.#bounds[index] ?? '+Inf';
      return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: this.#sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }

  reset(): void {
    this.#counts.fill(0);
    this.#sum = 0;
  }
}
