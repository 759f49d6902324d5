import { invalidOption } from '@keelson/apimachinery';
import { Gauge, type Registry } from 'prom-client';
import { bucketsOf, labelsFor, type Labels, type MetricDefinition } from './metric-definition.ts';
import { metrics, type KeyOfType, type MetricKey } from './metrics.ts';
import { SeriesMetric } from './series-metric.ts';
import { SeriesScope } from './series-scope.ts';
import { CountedSeries, ObservedSeries } from './series.ts';

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

/** The metrics of a manager, registered on one registry. */
export class MetricSet {
  readonly #registry: Registry;
  /** The counters and histograms. */
  readonly #measured = new Map<MetricKey, SeriesMetric>();

  constructor(registry: Registry, readers: MetricReaders) {
    this.#registry = registry;
    checkNamesFree(registry);
    for (const key of Object.keys(metrics) as MetricKey[]) this.#register(key, readers);
  }

  /** Opens the series of one component, such as a controller or a watch. `close` removes them. */
  scope(labels: Labels): SeriesScope {
    return new SeriesScope(this.#measured, labels);
  }

  /** Removes Keelson's metrics from the registry, which may be the user's. */
  close(): void {
    for (const { name } of Object.values(metrics)) this.#registry.removeSingleMetric(name);
  }

  #register(key: MetricKey, readers: MetricReaders): void {
    const metric = build(key, readers);
    if (metric instanceof SeriesMetric) this.#measured.set(key, metric);
    // prom-client uses only the members of `SeriesMetric`, but its types require one of its classes.
    this.#registry.registerMetric(metric as unknown as Gauge);
  }
}

/** Throws before the first registration, so that a failed `createManager` leaves no metric on a registry. */
function checkNamesFree(registry: Registry): void {
  for (const { name } of Object.values(metrics)) {
    if (registry.getSingleMetric(name) === undefined) continue;
    throw invalidOption('createManager.registry', 'has a metric of this name already', { name });
  }
}

function build(key: MetricKey, readers: MetricReaders): object {
  const definition: MetricDefinition = metrics[key];
  const bounds = bucketsOf(definition);
  switch (definition.type) {
    case 'counter':
      return new SeriesMetric(definition, (labels) => new CountedSeries(labels));
    case 'histogram':
      return new SeriesMetric(definition, (labels) => new ObservedSeries(labels, bounds));
    case 'gauge':
      return gaugeOf(definition, readers.gauges[key as KeyOfType<'gauge'>]);
    case 'summary':
      return summaryOf(definition, readers.summaries[key as KeyOfType<'summary'>]);
  }
}

function gaugeOf(definition: MetricDefinition, read: GaugeReader): Gauge {
  const { name, help, labels } = definition;
  return new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [],
    collect() {
      this.reset();
      read((series, value) => this.set(labelsFor(definition, series), value));
    },
  });
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
