import type { BenchCase, Contender, Row, Side } from './bench-case.ts';
import { runJob, ServerProcess } from './child.ts';
import type { Metrics } from './protocol.ts';
import type { Result } from './results.ts';
import { ratio, spreadOf } from './spread.ts';

type Measured = Map<Side, Metrics[]>;

/** Runs the contenders in turn, as often as the case says, so that a slow minute hits all alike. */
export async function runCase(
  benchCase: BenchCase,
  progress: (line: string) => void,
): Promise<Result[]> {
  await using server =
    benchCase.server === undefined ? undefined : await ServerProcess.start(benchCase.server);
  const measured: Measured = new Map();
  const broken = new Set<Side>();
  for (let run = 1; run <= benchCase.runs; run++) {
    for (const [side, contender] of Object.entries(benchCase.sides) as [Side, Contender][]) {
      if (broken.has(side)) continue;
      progress(`run ${String(run)} of ${String(benchCase.runs)}: ${side}`);
      const metrics = await measure(side, contender, server, progress);
      if (metrics === undefined) broken.add(side);
      else measured.set(side, [...(measured.get(side) ?? []), metrics]);
    }
  }
  return benchCase.rows.map((row) => resultOf(row, measured));
}

async function measure(
  side: Side,
  contender: Contender,
  server: ServerProcess | undefined,
  progress: (line: string) => void,
): Promise<Metrics | undefined> {
  await server?.ask({ name: 'reset' });
  try {
    return await runJob(contender, server);
  } catch (error) {
    if (contender.mayFail !== true) throw error;
    progress(`${side} failed: ${String(error)}`);
    return undefined;
  }
}

function resultOf(row: Row, measured: Measured): Result {
  const spread = (side: Side): Result['keelson'] =>
    spreadOf((measured.get(side) ?? []).flatMap((metrics) => metrics[row.metric] ?? []));
  const [keelson, clientNode, limit] = [spread('keelson'), spread('clientNode'), spread('limit')];
  return {
    case: row.case,
    unit: row.unit,
    keelson,
    clientNode,
    limit,
    ratioToClientNode: ratio(keelson, clientNode),
    ratioToLimit: ratio(keelson, limit),
    runs: Math.max(0, ...[...measured.values()].map((runs) => runs.length)),
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}
