import { invalidOption } from '@keelson/apimachinery';
import type { Registry } from 'prom-client';
import { bucketsOf, type Labels, type MetricDefinition } from './metric-definition.ts';
import { metrics, type KeyOfType, type MetricKey } from './metrics.ts';
import { readGauge, readSummary, type GaugeReader, type SummaryReading } from './read-metric.ts';
import { RegisteredMetric, type ManagerName, type MetricPart } from './registered-metric.ts';
import { SeriesMetric } from './series-metric.ts';
import { SeriesScope } from './series-scope.ts';
import { CountedSeries, ObservedSeries } from './series.ts';

/** Functions that read the values of gauges and summaries at each scrape. */
export interface MetricReaders {
  readonly gauges: Readonly<Record<KeyOfType<'gauge'>, GaugeReader>>;
  readonly summaries: Readonly<Record<KeyOfType<'summary'>, () => SummaryReading>>;
}

/** The metrics of a manager on a registry, which other managers may use too. */
export class MetricSet {
  readonly #registry: Registry;
  readonly #manager: ManagerName;
  /** The labels of every series: the name of the manager, if it has one. */
  readonly #own: Labels;
  /** The counters and histograms. */
  readonly #measured = new Map<MetricKey, SeriesMetric>();

  constructor(registry: Registry, readers: MetricReaders, manager?: ManagerName) {
    this.#registry = registry;
    this.#manager = manager;
    this.#own = manager === undefined ? {} : { manager };
    checkFree(registry, manager);
    for (const key of Object.keys(metrics) as MetricKey[]) {
      RegisteredMetric.join(registry, metrics[key], manager, this.#part(key, readers));
    }
  }

  /** Opens the series of one component, such as a controller or a watch. `close` removes them. */
  scope(labels: Labels): SeriesScope {
    return new SeriesScope(this.#measured, labels);
  }

  /** Removes the values of this manager from the registry, which may be the user's. */
  close(): void {
    for (const definition of Object.values(metrics)) {
      RegisteredMetric.leave(this.#registry, definition, this.#manager);
    }
  }

  /** True if a registry has the values of a manager. */
  static isOn(registry: Registry): boolean {
    return Object.values(metrics).some((one) => RegisteredMetric.find(registry, one) !== undefined);
  }

  #part(key: MetricKey, readers: MetricReaders): MetricPart {
    const definition: MetricDefinition = metrics[key];
    switch (definition.type) {
      case 'counter':
        return this.#series(key, (labels) => new CountedSeries(labels));
      case 'histogram': {
        const bounds = bucketsOf(definition);
        return this.#series(key, (labels) => new ObservedSeries(labels, bounds));
      }
      case 'gauge':
        return readGauge(definition, this.#own, readers.gauges[key as KeyOfType<'gauge'>]);
      case 'summary':
        return readSummary(this.#own, readers.summaries[key as KeyOfType<'summary'>]);
    }
  }

  #series(
    key: MetricKey,
    create: (labels: Labels) => CountedSeries | ObservedSeries,
  ): SeriesMetric {
    const metric = new SeriesMetric(metrics[key], (labels) => create({ ...labels, ...this.#own }));
    this.#measured.set(key, metric);
    return metric;
  }
}

/** Throws before the first registration, so that a failed `createManager` leaves no metric on a registry. */
function checkFree(registry: Registry, manager: ManagerName): void {
  for (const definition of Object.values(metrics)) {
    const { name } = definition;
    const shared = RegisteredMetric.find(registry, definition);
    if (shared?.has(manager) === true) {
      throw invalidOption('createManager.name', 'must differ between managers of one registry', {
        manager: manager ?? '',
      });
    }
    if (shared !== undefined || registry.getSingleMetric(name) === undefined) continue;
    throw invalidOption('createManager.registry', 'has a metric of this name already', { name });
  }
}
