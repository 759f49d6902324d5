import { labelsFor, type Labels, type MetricDefinition } from './metric-definition.ts';
import type { MetricPart } from './registered-metric.ts';
import type { Sample, Series } from './series.ts';

/**
 * The series of a manager in a counter or histogram: objects that the measuring code keeps. The metrics of prom-client
 * search a series by its labels at every measurement.
 */
export class SeriesMetric<One extends Series = Series> implements MetricPart {
  readonly #definition: MetricDefinition;
  readonly #create: (labels: Labels) => One;
  readonly #series = new Set<One>();

  constructor(definition: MetricDefinition, create: (labels: Labels) => One) {
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

  samples(name: string): Sample[] {
    return [...this.#series].flatMap((series) => series.samples(name));
  }

  reset(): void {
    for (const series of this.#series) series.reset();
  }
}
