/**
 * `npm run bench -- [--only NAME] [--quick] [--runs N] [--idle SECONDS]`. Progress goes to stderr, a JSON line per
 * case to stdout; a full run keeps its lines in `results.jsonl` and renders `docs/performance.md`.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCases } from './cases/cases.ts';
import { CaseServers } from './servers/case-servers.ts';
import { findPrograms } from './programs/programs.ts';
import { neededBy, runnable } from './cases/runnable.ts';
import { fullScale, quickScale } from './cases/scale.ts';
import { writePage } from './page/page-file.ts';
import { merged, readResults, resultsFile, writeResults, type Result } from './page/results.ts';
import { runCase } from './cases/run-case.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    idle: { type: 'string' },
  },
});

const base = values.quick ? quickScale : fullScale;
const scale = {
  ...base,
  ...(values.runs !== undefined && { runs: Number(values.runs) }),
  ...(values.idle !== undefined && {
    operator: { ...base.operator, idleSeconds: Number(values.idle) },
  }),
};
const prefixes = values.only ?? [''];
const cases = benchCases(scale).filter(({ name, rows }) =>
  prefixes.some((prefix) =>
    [name, ...rows.map((row) => row.case)].some((n) => n.startsWith(prefix)),
  ),
);
if (cases.length === 0) throw new Error(`no case begins with ${prefixes.join(', ')}`);

// Ends the child processes with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const log = (line: string): void => console.error(line);
const programs = await findPrograms(neededBy(cases), process.env, log);
await using servers = new CaseServers(programs.assets);
const began = performance.now();
for (const [index, wanted] of cases.entries()) {
  const benchCase = runnable(wanted, programs, log);
  if (benchCase === undefined) continue;
  const place = `case ${String(index + 1)} of ${String(cases.length)} ${benchCase.name}`;
  const progress = (line: string): void => {
    const seconds = Math.round((performance.now() - began) / 1000);
    log(`${String(seconds)} s, ${place}, ${line}`);
  };
  const results = await runCase(benchCase, servers, { programs, progress });
  for (const result of results) console.log(JSON.stringify(result));
  if (!values.quick) keep(results);
}
if (!values.quick) writePage();

function keep(results: readonly Result[]): void {
  const old = existsSync(resultsFile) ? readResults() : [];
  writeResults(merged(old, results));
}
