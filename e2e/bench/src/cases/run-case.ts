import type { BenchCase, Contender, MemoryFit, Row, Side } from './bench-case.ts';
import { largestFit } from './largest-fit.ts';
import type { CaseServer } from '../servers/case-server.ts';
import type { CaseServers } from '../servers/case-servers.ts';
import { runJob } from '../processes/child.ts';
import { orderOfRun } from './order-of-run.ts';
import { runPeer } from '../processes/peer-process.ts';
import type { Programs } from '../programs/programs.ts';
import type { Metrics } from '../servers/protocol.ts';
import { ratioMembers, type Result } from '../page/results.ts';
import { ratio, spreadOf, type Spread } from '../page/spread.ts';

/** Where the contenders of a case run. */
interface RunPlace {
  readonly server: CaseServer | undefined;
  readonly programs: Programs;
  readonly progress: (line: string) => void;
}

type Measured = Map<Side, Metrics[]>;

/** Runs the contenders in turn, so that other load on the machine affects all of them equally. */
export async function runCase(
  benchCase: BenchCase,
  servers: CaseServers,
  { programs, progress }: Pick<RunPlace, 'programs' | 'progress'>,
): Promise<Result[]> {
  const { fit } = benchCase;
  if (fit !== undefined) return runFit(benchCase, fit, servers, { programs, progress });
  await using ends = new AsyncDisposableStack();
  const server =
    benchCase.server === undefined
      ? undefined
      : await servers.open(benchCase.server, ends, progress);
  const measured: Measured = new Map();
  const broken = new Set<Side>();
  for (let run = 1; run <= benchCase.runs; run++) {
    const sides = Object.entries(benchCase.sides) as [Side, Contender][];
    for (const [side, contender] of orderOfRun(sides, run)) {
      if (broken.has(side)) continue;
      progress(`run ${String(run)} of ${String(benchCase.runs)}: ${side}`);
      const metrics = await measure(side, contender, { server, programs, progress });
      if (metrics === undefined) broken.add(side);
      else measured.set(side, [...(measured.get(side) ?? []), metrics]);
    }
  }
  return benchCase.rows.map((row) => resultOf(row, benchCase, measured));
}

/** Finds the largest number of pods of each contender. Each number has a server of its own. */
async function runFit(
  benchCase: BenchCase,
  fit: MemoryFit,
  servers: CaseServers,
  place: Pick<RunPlace, 'programs' | 'progress'>,
): Promise<Result[]> {
  const measured: Measured = new Map();
  for (let run = 1; run <= benchCase.runs; run++) {
    for (const [side, contender] of Object.entries(benchCase.sides) as [Side, Contender][]) {
      const pods = await largestFit(fit, async (count) => {
        place.progress(`run ${String(run)}: ${side} with ${String(count)} pods`);
        await using ends = new AsyncDisposableStack();
        const server = await servers.open({ pods: count }, ends, place.progress);
        const alone = { ...withPods(contender, count), mayFail: true };
        const metrics = await measure(side, alone, { ...place, server });
        return (metrics?.['peakRss'] ?? Infinity) <= fit.megabytes;
      });
      measured.set(side, [...(measured.get(side) ?? []), { pods }]);
    }
  }
  return benchCase.rows.map((row) => resultOf(row, benchCase, measured));
}

/** The contender with this number of pods. */
function withPods(contender: Contender, pods: number): Contender {
  return 'job' in contender
    ? { ...contender, options: { ...contender.options, pods } }
    : { ...contender, peer: [`-count=${pods}`, ...contender.peer] };
}

async function measure(
  side: Side,
  contender: Contender,
  { server, programs, progress }: RunPlace,
): Promise<Metrics | undefined> {
  await server?.ask({ name: 'reset' });
  const before = server?.cpuSeconds?.();
  try {
    const own = await perform(contender, server, programs);
    const metrics = { ...own, ...server?.measured?.() };
    const after = server?.cpuSeconds?.();
    if (before === undefined || after === undefined) return metrics;
    return { ...metrics, serverCpu: after - before };
  } catch (error) {
    if (!('mayFail' in contender)) throw error;
    progress(`${side} failed: ${String(error)}`);
    return undefined;
  }
}

async function perform(
  contender: Contender,
  server: CaseServer | undefined,
  programs: Programs,
): Promise<Metrics> {
  if ('job' in contender) return runJob(contender, server);
  const program = programs[contender.language];
  if (program === undefined) throw new Error(`no program of a contender in ${contender.language}`);
  return runPeer(contender, program, server);
}

function resultOf(row: Row, benchCase: BenchCase, measured: Measured): Result {
  const spread = (side: Side): Spread | null =>
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
    ...Object.fromEntries(
      Object.entries(ratioMembers).flatMap(([side, ratioMember]) => {
        if (!(side in benchCase.sides)) return [];
        const other = spread(side as Side);
        return [
          [side, other],
          [ratioMember, ratio(keelson, other)],
        ];
      }),
    ),
    runs: Math.max(0, ...[...measured.values()].map((runs) => runs.length)),
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}
