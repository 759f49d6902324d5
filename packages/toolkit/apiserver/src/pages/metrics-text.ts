/** A metric with its samples in the text format of Prometheus. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** One value and its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The media type of `metricsText`. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Formats gauges as Prometheus scrapes them. A metric without samples is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
    })
    .join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
