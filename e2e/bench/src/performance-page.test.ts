import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { withTable } from './page.ts';
import { pageFile } from './page-file.ts';
import { readResults, type Result } from './results.ts';
import { targets } from './targets.ts';
import { benchCases } from './cases.ts';
import { fullScale } from './scale.ts';

const page = readFileSync(pageFile, 'utf8');

function result(name: string, median: number, theirs: number): Result {
  const spread = { median, min: median - 1, max: median + 1 };
  return {
    case: name,
    unit: 'ms',
    keelson: spread,
    clientNode: { median: theirs, min: theirs, max: theirs },
    limit: null,
    ratioToClientNode: median / theirs,
    ratioToLimit: null,
    runs: 5,
    node: '24.0.0',
    date: '2026-01-01',
  };
}

function rowOf(results: readonly Result[]): string | undefined {
  const marked = '<!-- table: npm run bench:table -->\n<!-- end of table -->\n';
  return withTable(marked, results)
    .split('\n')
    .find((line) => line.includes('`list.50000`'));
}

describe('docs/performance.md', () => {
  test('shows the table that results.jsonl gives', () => {
    expect(withTable(page, readResults())).toBe(page);
  });

  test('says of each target whether it is met', () => {
    expect(rowOf([result('list.50000', 30, 100)])).toBe(
      '| `list.50000` | ms | 30 (29–31) | 100 (100–100) | – | 0.3 |  | ÷ client-node ≤ 0.35 | met |',
    );
    expect(rowOf([result('list.50000', 60, 100)])).toContain('| **missed** |');
  });

  test('names what limits every target that is missed', () => {
    const missed = page.split('\n').filter((line) => line.endsWith('| **missed** |'));
    const words = page.slice(page.indexOf('## What limits'));
    for (const line of missed) expect(words).toContain(line.split(' ')[1]);
  });

  test('has a case behind every target', () => {
    const rows = benchCases(fullScale).flatMap((benchCase) =>
      benchCase.rows.map((row) => row.case),
    );
    expect(rows).toEqual(expect.arrayContaining(Object.keys(targets)));
    expect(new Set(rows).size).toBe(rows.length);
  });
});
