import { differences } from './difference.ts';
import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** The module with all metrics. */
export const metricsModule = 'packages/runtime/manager/src/metrics/metrics.ts';

/** The only modules that may contain metric names. */
const metricModules = new Set([
  metricsModule,
  'packages/runtime/manager/src/metrics/kind-metrics.ts',
]);

const metricName =
  /^(?:controller_runtime|workqueue|rest_client|leader_election|certwatcher|keelson)_[a-z_]+$/;

/** Returns the metric names in backticks on the page. */
export function parseMetricPage(page: string): string[] {
  return [...page.matchAll(/`([a-z_]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => metricName.test(name));
}

/**
 * Parses the metrics of the design, one per line. Text after a name is the reason why the metric is not implemented
 * yet.
 */
export function parseDesignedMetrics(text: string): { present: string[]; later: string[] } {
  const lines = text.split('\n').filter((line) => /^[a-z]/.test(line));
  const names = (isLater: boolean): string[] =>
    lines
      .filter((line) => line.includes(' ') === isLater)
      .map((line) => line.split(' ', 1)[0] ?? '');
  return { present: names(false), later: names(true) };
}

/** Finds differences between the sources, the page and the design, and metric names in other modules. */
export function findMetricProblems(
  modules: readonly SourceModule[],
  page: readonly string[],
  designed: { readonly present: readonly string[] },
): string[] {
  const sources = modules.filter(({ path }) => path.startsWith('packages/') && !isTest(path));
  const inCode = sources.filter(({ path }) => metricModules.has(path)).flatMap(namesIn);
  const code = { what: metricsModule, names: inCode };
  return [
    ...differences(code, { what: 'docs/metrics.md', names: page }),
    ...differences(code, { what: 'the list of the design', names: designed.present }),
    ...sources
      .filter(({ path }) => !metricModules.has(path) && path.includes('/src/'))
      .flatMap((module) =>
        namesIn(module).map((name) => `${module.path} contains the metric name ${name}`),
      ),
  ];
}

function namesIn({ strings }: SourceModule): string[] {
  return [...strings].filter((text) => metricName.test(text));
}
