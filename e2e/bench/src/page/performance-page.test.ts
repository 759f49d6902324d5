import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { withTables } from './page.ts';
import { pageFile } from './page-file.ts';
import { readResults, type Result } from './results.ts';
import { peerTargets, probeTargets, targets } from './targets.ts';
import { benchCases } from '../cases/cases.ts';
import { fullScale } from '../cases/scale.ts';

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

const EMPTY = `<!-- table: npm run bench:table -->
<!-- end of table -->
<!-- table of the probe: npm run bench:table -->
<!-- end of table -->
<!-- table of the peers: npm run bench:table -->
<!-- end of table -->
<!-- table of queues: npm run bench:table -->
<!-- end of table -->
<!-- table of a real API server: npm run bench:table -->
<!-- end of table -->
<!-- table of transports: npm run bench:table -->
<!-- end of table -->
<!-- table of webhooks: npm run bench:table -->
<!-- end of table -->
<!-- table of operators: npm run bench:table -->
<!-- end of table -->
`;

/** Renders the results into an empty page and returns the lines about one case. */
function rowsOf(name: string, results: readonly Result[]): string[] {
  const lines = withTables(EMPTY, results).split('\n');
  return lines.filter((line) => line.includes(`\`${name}\``));
}

/** A line of a case against a real API server, with the results of the peers in Go. */
function realResult(name: string, median: number, json: number, protobuf: number): Result {
  return {
    ...result(name, median, 100),
    clientGo: { median: json, min: json, max: json },
    clientGoProtobuf: { median: protobuf, min: protobuf, max: protobuf },
    ratioToClientGo: median / json,
    ratioToClientGoProtobuf: median / protobuf,
  };
}

describe('docs/performance.md', () => {
  test('shows the table that results.jsonl gives', () => {
    expect(withTables(page, readResults())).toBe(page);
  });

  test('shows for each target whether it is met', () => {
    expect(rowsOf('list.50000', [result('list.50000', 12, 100)])).toEqual([
      '| `list.50000` | ms | 12 (11–13) | 100 (100–100) | – | 0.12 |  | ÷ client-node ≤ 0.15 | met |',
    ]);
    expect(rowsOf('list.50000', [result('list.50000', 60, 100)])[0]).toContain('| **missed** |');
  });

  test('shows the peers in Go and Rust in a table of their own, with the targets beside them', () => {
    const name = 'watch.burst';
    const beside = (ratioToKubeRs: number): Result => ({
      ...result(name, 60, 100),
      kubeRs: { median: 10, min: 10, max: 10 },
      clientGo: { median: 5, min: 5, max: 5 },
      ratioToKubeRs,
      ratioToClientGo: 12,
    });
    expect(rowsOf(name, [beside(6)])[1]).toBe(
      '| `watch.burst` | ms | 60 (59–61) | 10 (10–10) | 5 (5–5) | 6 | 12 | ÷ kube-rs ≥ 5 | met |',
    );
    expect(rowsOf(name, [beside(4)])[1]).toContain('| **missed** |');
  });

  test('shows queues in a table of their own, beside those of the peers', () => {
    const queue = (ratio: number): Result => ({
      ...result('queue.measured.1000', 60, 100),
      controllerRuntime: { median: 10, min: 10, max: 10 },
      ratioToControllerRuntime: ratio,
      limit: { median: 120, min: 119, max: 121 },
      ratioToLimit: 0.5,
      kubeRs: { median: 20, min: 20, max: 20 },
      ratioToKubeRs: 3,
    });
    expect(rowsOf('queue.measured.1000', [queue(8)])).toEqual([
      '| `queue.measured.1000` | ms | 60 (59–61) | 10 (10–10) | 20 (20–20) | – | 120 (119–121) | 8 | 3 |  | 0.5 ' +
        '| ÷ controller-runtime ≥ 8 | met |',
    ]);
    expect(rowsOf('queue.measured.1000', [queue(7.9)])[0]).toContain('| **missed** |');
  });

  test('shows cases against a real API server in a table of their own, beside client-go', () => {
    const name = 'real.json.list.20000';
    expect(rowsOf(name, [realResult(name, 30, 120, 20)])).toEqual([
      '| `real.json.list.20000` | ms | 30 (29–31) | 100 (100–100) | 120 (120–120) | 20 (20–20) ' +
        '| – | 0.3 | 0.25 | 1.5 |  | ÷ client-go, JSON ≤ 0.35 | met |',
    ]);
    // Twice the time of client-go with protobuf, half of its time with JSON.
    const slow = [realResult('real.list.20000', 60, 120, 30)];
    expect(rowsOf('real.list.20000', slow)[0]).toContain(
      '÷ client-go, protobuf ≤ 0.6 | **missed** |',
    );
    const keepBytes = { median: 15, min: 15, max: 15 };
    const probed = { ...slow[0]!, keepBytes, ratioToKeepBytes: 4 };
    expect(rowsOf('real.list.20000', [probed])).toEqual([
      expect.stringContaining('| 30 (30–30) | 15 (15–15) | 0.6 | 0.5 | 2 | 4 |'),
    ]);
    const [, second] = withTables(EMPTY, [result('list.1000', 1, 2), ...slow]).split('real API');
    expect(second).not.toContain('list.1000');
  });

  test('shows the transport of watches in a table of its own, beside HTTP/1.1', () => {
    const http1 = { median: 40, min: 40, max: 40 };
    const measured = { ...result('transport.open', 10, 0), http1, ratioToHttp1: 0.25 };
    expect(rowsOf('transport.open', [measured])).toEqual([
      '| `transport.open` | ms | 10 (9–11) | 40 (40–40) | 0.25 |  |  |',
    ]);
  });

  test('shows a case with the probe in a second table, with the targets beside the probe', () => {
    const probed = (ratio: number): Result => ({
      ...result('list.50000', 12, 100),
      keepBytes: { median: 24, min: 24, max: 24 },
      ratioToKeepBytes: ratio,
    });
    expect(rowsOf('list.50000', [probed(1.25)])).toEqual([
      expect.stringContaining('| ÷ client-node ≤ 0.15 | met |'),
      '| `list.50000` | ms | 12 (11–13) | 24 (24–24) | 1.25 | ÷ probe ≤ 1.25 | met |',
    ]);
    expect(rowsOf('list.50000', [probed(1.3)])[1]).toContain('| **missed** |');
  });

  test('explains every target that is missed', () => {
    const missed = page.split('\n').filter((line) => line.endsWith('| **missed** |'));
    const [, words] = page.split('\n## Missed targets\n');
    for (const line of missed) expect(words).toContain(line.split(' ')[1]);
  });

  test('has a case behind every target', () => {
    const rows = benchCases(fullScale).flatMap((benchCase) =>
      benchCase.rows.map((row) => row.case),
    );
    expect(rows).toEqual(
      expect.arrayContaining(Object.keys({ ...targets, ...probeTargets, ...peerTargets })),
    );
    expect(new Set(rows).size).toBe(rows.length);
  });
});
