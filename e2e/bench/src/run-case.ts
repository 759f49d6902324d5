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
  for (let run = 1; run <= benchCase.runs; run++) {
    for (const [side, contender] of Object.entries(benchCase.sides) as [Side, Contender][]) {
      progress(`run ${String(run)} of ${String(benchCase.runs)}: ${side}`);
      await measure(side, contender, server, measured, progress);
    }
  }
  return benchCase.rows.map((row) => resultOf(row, measured));
}

async function measure(
  side: Side,
  contender: Contender,
  server: ServerProcess | undefined,
  measured: Measured,
  progress: (line: string) => void,
): Promise<void> {
  await server?.ask({ name: 'reset' });
  try {
    const metrics = await runJob(contender, server);
    measured.set(side, [...(measured.get(side) ?? []), metrics]);
  } catch (error) {
    if (contender.mayFail !== true) throw error;
    progress(`${side} failed: ${String(error)}`);
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
