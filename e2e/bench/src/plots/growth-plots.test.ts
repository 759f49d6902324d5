import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { benchCases } from '../cases/cases.ts';
import { fullScale } from '../cases/scale.ts';
import { pageFile, plotFolder, renderedPage, renderedPlots } from '../page/page-file.ts';
import { readResults, type Result } from '../page/results.ts';
import { growthPlots } from './growth-plots.ts';
import { withPlots } from './plot-page.ts';

function resultOf(name: string, median: number): Result {
  const spread = { median, min: median, max: median };
  return {
    case: name,
    unit: 's',
    keelson: spread,
    clientNode: null,
    limit: null,
    ratioToClientNode: null,
    ratioToLimit: null,
    runs: 1,
    node: '24.0.0',
    date: '2026-01-01',
  };
}

const two = [
  resultOf('growth.lazy.1000.cpu', 0.12345),
  resultOf('growth.lazy.1000000.cpu', 20_000),
];

describe('the plots of docs/performance.md', () => {
  test('are the images and the page that results.jsonl gives', () => {
    const images = renderedPlots(readResults());
    expect(readdirSync(plotFolder).toSorted()).toEqual([...images.keys()].toSorted());
    for (const [name, svg] of images) {
      expect(readFileSync(new URL(name, plotFolder), 'utf8')).toBe(svg);
    }
    const page = readFileSync(pageFile, 'utf8');
    expect(renderedPage(page, readResults())).toBe(page);
  });

  test('have a case behind every point', () => {
    const rows = benchCases(fullScale).flatMap((benchCase) => benchCase.rows);
    const all = rows.map((row) => ({
      ...resultOf(row.case, 1),
      controllerRuntime: resultOf('', 1).keelson,
      clientGoProtobuf: resultOf('', 1).keelson,
    }));
    const plots = growthPlots(all);
    expect(plots.map(({ name }) => name)).toEqual([
      'list-time',
      'list-cpu',
      'list-memory',
      'protobuf-time',
      'protobuf-cpu',
      'protobuf-memory',
      'objects-time',
      'objects-cpu',
      'objects-memory',
      'objects-stall',
      'kinds-memory',
      'kinds-time',
      'controllers-cpu',
      'controllers-memory',
      'observers-cpu',
      'handlers',
      'queue',
      'fit',
      'collections',
      'collections-cpu',
      'collections-memory',
      'restart-owners-cpu',
      'restart-owners-memory',
      'restart-waiting',
      'idle',
    ]);
    for (const { series } of plots) {
      expect(new Set(series.map(({ points }) => points.length)).size).toBe(1);
    }
  });

  test('show the figures below the image, and leave out what was not measured', () => {
    const page = '<!-- plot objects-time: npm run bench:table -->\n<!-- end of plot -->\n';
    expect(withPlots(page, two)).toBe(`<!-- plot objects-time: npm run bench:table -->

![Processor time until synced](plots/performance/objects-time.svg)

| s, by custom resources of 2.2 KB in one process | 1000 | 1 M |
| --- | --- | --- |
| lazy | 0.123 | 20 k |

<!-- end of plot -->
`);
  });
});
