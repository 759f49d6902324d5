import type { Labels } from './metric-definition.ts';
import type { KeyOfType, MetricKey } from './metrics.ts';
import type { SeriesMetric } from './series-metric.ts';
import type { CountedSeries, ObservedSeries, Series } from './series.ts';

/**
 * The series of one component: each starts at 0 on first use, and `close` removes all of them. A measurement after
 * `close`, by a run that outlives its controller for example, is dropped.
 */
export class SeriesScope {
  readonly #metrics: ReadonlyMap<MetricKey, SeriesMetric>;
  readonly #labels: Labels;
  readonly #series = new Map<string, Series>();
  readonly #removals: (() => void)[] = [];
  #closed = false;

  constructor(metrics: ReadonlyMap<MetricKey, SeriesMetric>, labels: Labels) {
    this.#metrics = metrics;
    this.#labels = labels;
  }

  /** Returns the series of a counter. Frequent callers keep it, because this method searches it. */
  counter(key: KeyOfType<'counter'>, extra: Labels = {}): CountedSeries {
    return this.#open(key, extra) as CountedSeries;
  }

  /** Returns the series of a histogram. Frequent callers keep it, because this method searches it. */
  histogram(key: KeyOfType<'histogram'>, extra: Labels = {}): ObservedSeries {
    return this.#open(key, extra) as ObservedSeries;
  }

  /** The series of a counter that are open, by the values of their extra labels. */
  countsOf(key: KeyOfType<'counter'>): Readonly<Record<string, number>> {
    const prefix = `${key}\n`;
    const own = [...this.#series].filter(([id]) => id.startsWith(prefix));
    return Object.fromEntries(
      own.map(([id, series]) => [id.slice(prefix.length), (series as CountedSeries).count]),
    );
  }

  close(): void {
    this.#closed = true;
    for (const remove of this.#removals.splice(0)) remove();
    this.#series.clear();
  }

  #open(key: KeyOfType<'counter' | 'histogram'>, extra: Labels): Series {
    const id = [key, ...Object.values(extra)].join('\n');
    const known = this.#series.get(id);
    if (known !== undefined) return known;
    const metric = this.#metrics.get(key) as SeriesMetric;
    const series = metric.create({ ...this.#labels, ...extra });
    if (this.#closed) return series;
    metric.add(series);
    this.#series.set(id, series);
    this.#removals.push(() => metric.remove(series));
    return series;
  }
}
