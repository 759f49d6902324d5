import { labelsFor, type Labels, type MetricDefinition } from './metric-definition.ts';
import type { MetricPart } from './registered-metric.ts';
import type { Sample } from './series.ts';

/** Sets the value of one series of a gauge. A later value of the same labels replaces the earlier one. */
export type SetGauge = (labels: Labels, value: number) => void;

/** Sets the series of a gauge at each scrape. */
export type GaugeReader = (set: SetGauge) => void;

/** The values of a summary, read at each scrape. */
export interface SummaryReading {
  readonly quantiles: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly count: number;
}

/** The values of a gauge, which `read` sets at each scrape; `own` are the labels of the manager. */
export function readGauge(
  definition: MetricDefinition,
  own: Labels,
  read: GaugeReader,
): MetricPart {
  const samples = (): Sample[] => {
    const found = new Map<string, Sample>();
    read((known, value) => {
      const labels = labelsFor(definition, known);
      found.set(Object.values(labels).join('\n'), { labels: { ...labels, ...own }, value });
    });
    return [...found.values()];
  };
  return { samples, reset: () => undefined };
}

/** The values of a summary, which `read` returns at each scrape; `own` are the labels of the manager. */
export function readSummary(own: Labels, read: () => SummaryReading): MetricPart {
  const samples = (name: string): Sample[] => {
    const { quantiles, sum, count } = read();
    const values = Object.entries(quantiles).map(([quantile, value]) => ({
      labels: { quantile, ...own },
      value,
    }));
    return [
      ...values,
      { metricName: `${name}_sum`, labels: own, value: sum },
      { metricName: `${name}_count`, labels: own, value: count },
    ];
  };
  return { samples, reset: () => undefined };
}
