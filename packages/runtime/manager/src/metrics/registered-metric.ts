import type { Registry } from 'prom-client';
import type { MetricDefinition } from './metric-definition.ts';
import type { Sample } from './series.ts';

/** The values of one manager in a metric. */
export interface MetricPart {
  /** The values at a scrape; `name` is the name of the metric. */
  samples(name: string): Sample[];
  /** Sets every value that is counted to 0. */
  reset(): void;
}

/** The name of a manager; `undefined` for a manager without one. */
export type ManagerName = string | undefined;

/**
 * A metric on a registry, with the values of each manager that uses the registry. It has the members that
 * prom-client's registry uses.
 */
export class RegisteredMetric {
  /** The registry renames counters of the OpenMetrics format. */
  name: string;
  readonly help: string;
  readonly type: MetricDefinition['type'];
  readonly aggregator = 'sum';
  readonly #parts = new Map<ManagerName, MetricPart>();

  private constructor({ name, help, type }: MetricDefinition) {
    this.name = name;
    this.help = help;
    this.type = type;
  }

  /** Returns the metric of a definition, if managers have registered it. */
  static find(registry: Registry, { name }: MetricDefinition): RegisteredMetric | undefined {
    const found: unknown = registry.getSingleMetric(name);
    return found instanceof RegisteredMetric ? found : undefined;
  }

  /** Adds the values of a manager to a metric, which is registered if no other manager has done so. */
  static join(
    registry: Registry,
    definition: MetricDefinition,
    manager: ManagerName,
    part: MetricPart,
  ): void {
    let metric = RegisteredMetric.find(registry, definition);
    if (metric === undefined) {
      metric = new RegisteredMetric(definition);
      // prom-client uses only the members above, but its types require one of its classes.
      registry.registerMetric(metric as never);
    }
    metric.#parts.set(manager, part);
  }

  /** Removes the values of a manager. The metric is removed with those of the last manager. */
  static leave(registry: Registry, definition: MetricDefinition, manager: ManagerName): void {
    const metric = RegisteredMetric.find(registry, definition);
    if (metric === undefined) return;
    metric.#parts.delete(manager);
    if (metric.#parts.size === 0) registry.removeSingleMetric(definition.name);
  }

  /** True if the metric has the values of a manager of this name. */
  has(manager: ManagerName): boolean {
    return this.#parts.has(manager);
  }

  /** Returns the values in the form of prom-client. */
  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = [...this.#parts.values()].flatMap((part) => part.samples(name));
    return { name, help, type, aggregator, values };
  }

  /** Sets every counted value to 0, for `Registry.resetMetrics`. */
  reset(): void {
    for (const part of this.#parts.values()) part.reset();
  }
}
