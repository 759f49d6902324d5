/** The classes of prom-client that the metrics of the process use. */
export type MetricClasses = Pick<typeof import('prom-client'), 'Counter' | 'Gauge' | 'Histogram'>;

/**
 * Loads the classes without the main module of prom-client, which loads OpenTelemetry, https and cluster. The classes are
 * the same objects as those of the main module.
 */
export async function loadMetricClasses(): Promise<MetricClasses> {
  const modules: readonly { readonly default: unknown }[] = await Promise.all([
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/counter.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/gauge.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/histogram.js'),
  ]);
  const [Counter, Gauge, Histogram] = modules.map((module) => module.default);
  return { Counter, Gauge, Histogram } as MetricClasses;
}
