import { invalidOption } from '@keelson/apimachinery';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { bucketsOf, type MetricDefinition } from './metric-definition.ts';
import { metrics, type KeyOfType, type MetricKey } from './metrics.ts';

/** Sets the value of one series of a gauge. */
export type SetGauge = (labels: Readonly<Record<string, string>>, value: number) => void;

/** Sets the series of a gauge at each scrape. */
export type GaugeReader = (set: SetGauge) => void;

/** The values of a summary, read at each scrape. */
export interface SummaryReading {
  readonly quantiles: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly count: number;
}

/** Functions that read the values of gauges and summaries at each scrape. */
export interface MetricReaders {
  readonly gauges: Readonly<Record<KeyOfType<'gauge'>, GaugeReader>>;
  readonly summaries: Readonly<Record<KeyOfType<'summary'>, () => SummaryReading>>;
}

type Built = Counter | Gauge | Histogram;
type Labels = Readonly<Record<string, string>>;

/** The metrics of a manager, registered on one registry. */
export class MetricSet {
  readonly #registry: Registry;
  readonly #built = new Map<MetricKey, Built>();

  constructor(registry: Registry, readers: MetricReaders) {
    this.#registry = registry;
    checkNamesFree(registry);
    for (const key of Object.keys(metrics) as MetricKey[]) this.#register(key, readers);
  }

  /** Opens the series of one component, such as a controller or a watch. `close` removes them. */
  scope(labels: Labels): SeriesScope {
    return new SeriesScope((key) => this.#built.get(key), labels);
  }

  /** Removes Keelson's metrics from the registry, which may be the user's. */
  close(): void {
    for (const { name } of Object.values(metrics)) this.#registry.removeSingleMetric(name);
  }

  #register(key: MetricKey, readers: MetricReaders): void {
    const definition: MetricDefinition = metrics[key];
    const { type } = definition;
    if (type === 'summary') {
      const metric = summaryOf(definition, readers.summaries[key as KeyOfType<'summary'>]);
      // prom-client uses only `name` and `get` of a metric, but its types require one of its classes.
      this.#registry.registerMetric(metric as unknown as Gauge);
    } else {
      const read = type === 'gauge' ? readers.gauges[key as KeyOfType<'gauge'>] : undefined;
      this.#built.set(key, build(definition, this.#registry, read));
    }
  }
}

/** Throws before the first registration, so that a failed `createManager` leaves no metric on a registry. */
function checkNamesFree(registry: Registry): void {
  for (const { name } of Object.values(metrics)) {
    if (registry.getSingleMetric(name) === undefined) continue;
    throw invalidOption('createManager.registry', 'has a metric of this name already', { name });
  }
}

/** One series that counts. */
export interface CountedSeries {
  inc(by?: number): void;
}

/** One series that observes seconds. */
export interface ObservedSeries {
  observe(seconds: number): void;
}

/**
 * The series of one component: each starts at 0 on first use, and `close` removes all of them. A measurement after
 * `close`, by a run that outlives its controller for example, is dropped and creates no series.
 */
export class SeriesScope {
  readonly #metricOf: (key: MetricKey) => Built | undefined;
  readonly #labels: Labels;
  readonly #counters = new Map<string, CountedSeries>();
  readonly #removals: (() => void)[] = [];
  #closed = false;

  constructor(metricOf: (key: MetricKey) => Built | undefined, labels: Labels) {
    this.#metricOf = metricOf;
    this.#labels = labels;
  }

  counter(key: KeyOfType<'counter'>, extra: Labels = {}): CountedSeries {
    const id = [key, ...Object.values(extra)].join('\n');
    const known = this.#counters.get(id);
    if (known !== undefined || this.#closed) return known ?? { inc() {} };
    const counter = this.#metricOf(key) as Counter;
    const labels = this.#labelsOf(key, extra);
    const child = counter.labels(labels);
    child.inc(0);
    const series: CountedSeries = {
      inc: (by = 1) => {
        if (!this.#closed) child.inc(by);
      },
    };
    this.#counters.set(id, series);
    this.#removals.push(() => counter.remove(labels));
    return series;
  }

  histogram(key: KeyOfType<'histogram'>, extra: Labels = {}): ObservedSeries {
    const histogram = this.#metricOf(key) as Histogram;
    const labels = this.#labelsOf(key, extra);
    histogram.zero(labels);
    const child = histogram.labels(labels);
    this.#removals.push(() => histogram.remove(labels));
    return {
      observe: (seconds) => {
        if (!this.#closed) child.observe(seconds);
      },
    };
  }

  close(): void {
    this.#closed = true;
    for (const remove of this.#removals.splice(0)) remove();
    this.#counters.clear();
  }

  #labelsOf(key: MetricKey, extra: Labels): Record<string, string> {
    return labelsFor(metrics[key], { ...this.#labels, ...extra });
  }
}

function build(
  definition: MetricDefinition,
  registry: Registry,
  read: GaugeReader | undefined,
): Built {
  const { type, name, help, labels } = definition;
  const common = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'counter') return new Counter(common);
  if (type === 'histogram') return new Histogram({ ...common, buckets: bucketsOf(definition) });
  return new Gauge({
    ...common,
    collect() {
      this.reset();
      read?.((series, value) => this.set(labelsFor(definition, series), value));
    },
  });
}

/** The labels of the metric with their values; the observation may have further labels. */
function labelsFor({ labels }: MetricDefinition, known: Labels): Record<string, string> {
  return Object.fromEntries(labels.map((label) => [label, known[label] ?? '']));
}

/** A summary whose values `read` supplies; the `Summary` of prom-client collects its own samples. */
function summaryOf({ name, help }: MetricDefinition, read: () => SummaryReading): object {
  return {
    name,
    help,
    type: 'summary',
    aggregator: 'sum',
    async get() {
      const { quantiles, sum, count } = read();
      const values = Object.entries(quantiles).map(([quantile, value]) => ({
        labels: { quantile },
        value,
      }));
      const totals = [
        { metricName: `${name}_sum`, labels: {}, value: sum },
        { metricName: `${name}_count`, labels: {}, value: count },
      ];
      return { name, help, type: 'summary', aggregator: 'sum', values: [...values, ...totals] };
    },
    reset() {},
  };
}
