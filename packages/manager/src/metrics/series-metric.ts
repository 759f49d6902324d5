import { labelsFor, type Labels, type MetricDefinition } from './metric-definition.ts';
import type { Sample, Series } from './series.ts';

/**
 * A counter or histogram whose series are objects that the measuring code keeps. The metrics of prom-client search a
 * series by its labels at every measurement. This one has the members that prom-client's registry uses.
 */
export class SeriesMetric<One extends Series = Series> {
  /** The registry renames counters of the OpenMetrics format. */
  name: string;
  readonly help: string;
  readonly type: MetricDefinition['type'];
  readonly aggregator = 'sum';
  readonly #definition: MetricDefinition;
  readonly #create: (labels: Labels) => One;
  readonly #series = new Set<One>();

  constructor(definition: MetricDefinition, create: (labels: Labels) => One) {
    const { name, help, type } = definition;
    this.name = name;
    this.help = help;
    this.type = type;
    this.#definition = definition;
    this.#create = create;
  }

  /** Creates a series that starts at 0. It is not part of the metric before `add`. */
  create(known: Labels): One {
    return this.#create(labelsFor(this.#definition, known));
  }

  add(series: One): void {
    this.#series.add(series);
  }

  /** Removes a series. Measurements that its owner still makes have no effect. */
  remove(series: One): void {
    this.#series.delete(series);
  }

  /** Returns the values in the form of prom-client. */
  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series].flatMap((series): Sample[] => series.samples(name));
    return { name, help, type, aggregator, values };
  }

  /** Sets every series to 0, for `Registry.resetMetrics`. */
  reset(): void {
    for (const series of this.#series) series.reset();
  }
}
