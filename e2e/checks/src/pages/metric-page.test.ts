import { describe, expect, test } from '@jest/globals';

import { findMetricProblems, parseDesignedMetrics, parseMetricPage } from './metric-page.ts';
import { parseModule } from '../sources/source-module.ts';

const page = '| `workqueue_depth` | gauge | `name` |\n| `keelson_watches` | gauge | `state` |';
const design = '# metrics\nworkqueue_depth\nkeelson_watches\nleader_election_master_status later\n';
const metrics = `const depth = 'workqueue_depth'; const watches = { name: 'keelson_watches' };`;

function problems(text: string, from = page, wanted = design, other = ''): string[] {
  const modules = [
    parseModule({ path: 'packages/runtime/manager/src/metrics/metrics.ts', text }),
    parseModule({ path: 'packages/runtime/manager/src/other.ts', text: other }),
  ];
  return findMetricProblems(modules, parseMetricPage(from), parseDesignedMetrics(wanted));
}

describe('findMetricProblems', () => {
  test('accepts sources, a page and a design with the same metrics', () => {
    expect(problems(metrics)).toEqual([]);
  });

  test('finds a metric that the page and the design lack', () => {
    expect(problems(`${metrics} const more = 'keelson_more_total';`)).toEqual([
      'keelson_more_total is in packages/runtime/manager/src/metrics/metrics.ts and not in docs/metrics.md',
      'keelson_more_total is in packages/runtime/manager/src/metrics/metrics.ts and not in the list of the design',
    ]);
  });

  test('finds a metric that the sources lack', () => {
    expect(problems(`const depth = 'workqueue_depth';`)).toEqual([
      'keelson_watches is in docs/metrics.md and not in packages/runtime/manager/src/metrics/metrics.ts',
      'keelson_watches is in the list of the design and not in packages/runtime/manager/src/metrics/metrics.ts',
    ]);
  });

  test('finds a metric of later work that the sources have', () => {
    const code = `${metrics} const leader = 'leader_election_master_status';`;
    expect(problems(code, `${page} \`leader_election_master_status\``)).toEqual([
      'leader_election_master_status is in packages/runtime/manager/src/metrics/metrics.ts and not in the list of the design',
    ]);
  });

  test('finds a metric name in another module', () => {
    expect(problems(metrics, page, design, `const name = 'workqueue_depth';`)).toEqual([
      'packages/runtime/manager/src/other.ts contains the metric name workqueue_depth',
    ]);
  });
});
