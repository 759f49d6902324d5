/** Bounds of histograms, in seconds. */
const bounds = {
  /** Those of controller-runtime for reconciles. */
  reconcile: [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
  ],
  /** Those of controller-runtime for queues: 10e-9 · 10^k, k = 0…11. */
  queue: [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000],
  /** Those of client-go for requests. */
  request: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  /** The default ones of Prometheus, which controller-runtime uses for webhooks. */
  webhook: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  path: [1e-4, 2.5e-4, 5e-4, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  blocking: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  handover: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 15, 20, 30, 60],
  handler: [1e-5, 5e-5, 1e-4, 5e-4, 0.001, 0.005, 0.01, 0.05, 0.1, 1],
} as const;

/** The values of labels by their names. */
export type Labels = Readonly<Record<string, string>>;

/** The type, name, help text and labels of a metric. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Histograms only. */
  readonly buckets?: keyof typeof bounds;
}

/** The upper bounds of a histogram's buckets, in seconds. */
export function bucketsOf({ buckets }: MetricDefinition): number[] {
  return buckets === undefined ? [] : [...bounds[buckets]];
}

/**
 * The labels of the metric with their values; `known` may have further labels. The label `cluster` exists only on the
 * series of a further cluster, so that those of the main cluster do not change when one is added.
 */
export function labelsFor({ labels }: MetricDefinition, known: Labels): Record<string, string> {
  const own = Object.fromEntries(labels.map((label) => [label, known[label] ?? '']));
  const { cluster } = known;
  return cluster === undefined ? own : { ...own, cluster };
}
