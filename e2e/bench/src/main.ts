/**
 * `npm run bench -- [--only NAME] [--quick] [--runs N]`. Progress goes to stderr, a JSON line per
 * case to stdout; a full run keeps its lines in `results.jsonl` and renders `docs/performance.md`.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCases } from './cases/cases.ts';
import type { BenchCase } from './cases/bench-case.ts';
import { CaseServers } from './servers/case-servers.ts';
import { findRealPrograms } from './servers/real-programs.ts';
import { fullScale, quickScale } from './cases/scale.ts';
import { writePage } from './page/page-file.ts';
import { merged, readResults, resultsFile, writeResults, type Result } from './page/results.ts';
import { runCase } from './cases/run-case.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
  },
});

const base = values.quick ? quickScale : fullScale;
const scale = values.runs === undefined ? base : { ...base, runs: Number(values.runs) };
const prefixes = values.only ?? [''];
const cases = benchCases(scale).filter(({ name, rows }) =>
  prefixes.some((prefix) =>
    [name, ...rows.map((row) => row.case)].some((n) => n.startsWith(prefix)),
  ),
);
if (cases.length === 0) throw new Error(`no case begins with ${prefixes.join(', ')}`);

// Ends the child processes with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const programs = cases.some(needsGo)
  ? await findRealPrograms(process.env, (line) => console.error(line))
  : undefined;
await using servers = new CaseServers(programs);
for (const [index, benchCase] of cases.entries()) {
  if (needsGo(benchCase) && programs === undefined) {
    console.error(`!!! SKIPPED ${benchCase.name}: no Go on this machine to build its programs`);
    continue;
  }
  const place = `case ${String(index + 1)} of ${String(cases.length)} ${benchCase.name}`;
  const results = await runCase(benchCase, servers, (line) => console.error(`${place}, ${line}`));
  for (const result of results) console.log(JSON.stringify(result));
  if (!values.quick) keep(results);
}
if (!values.quick) writePage();

function needsGo({ server, sides }: BenchCase): boolean {
  const isReal = server !== undefined && 'real' in server;
  return isReal || Object.values(sides).some((contender) => 'peer' in contender);
}

function keep(results: readonly Result[]): void {
  const old = existsSync(resultsFile) ? readResults() : [];
  writeResults(merged(old, results));
}
