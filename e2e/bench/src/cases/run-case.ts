import type { BenchCase, Contender, Row, Side } from './bench-case.ts';
import type { CaseServer } from '../servers/case-server.ts';
import type { CaseServers } from '../servers/case-servers.ts';
import { runJob } from '../processes/child.ts';
import { runPeer } from '../processes/peer-process.ts';
import type { Metrics } from '../servers/protocol.ts';
import type { BesideProbe, OverHttp1, PeersInGo, QueueInGo, Result } from '../page/results.ts';
import { ratio, spreadOf, type Spread } from '../page/spread.ts';

/** Where the contenders of a case run. */
interface RunPlace {
  readonly server: CaseServer | undefined;
  readonly peers: string | undefined;
  readonly progress: (line: string) => void;
}

type Measured = Map<Side, Metrics[]>;

/** Runs the contenders in turn, so that other load on the machine affects all of them equally. */
export async function runCase(
  benchCase: BenchCase,
  servers: CaseServers,
  progress: (line: string) => void,
): Promise<Result[]> {
  await using ends = new AsyncDisposableStack();
  const server =
    benchCase.server === undefined
      ? undefined
      : await servers.open(benchCase.server, ends, progress);
  const peers = server?.peers ?? servers.peers;
  const measured: Measured = new Map();
  const broken = new Set<Side>();
  for (let run = 1; run <= benchCase.runs; run++) {
    for (const [side, contender] of Object.entries(benchCase.sides) as [Side, Contender][]) {
      if (broken.has(side)) continue;
      progress(`run ${String(run)} of ${String(benchCase.runs)}: ${side}`);
      const metrics = await measure(side, contender, { server, peers, progress });
      if (metrics === undefined) broken.add(side);
      else measured.set(side, [...(measured.get(side) ?? []), metrics]);
    }
  }
  return benchCase.rows.map((row) => resultOf(row, benchCase, measured));
}

async function measure(
  side: Side,
  contender: Contender,
  { server, peers, progress }: RunPlace,
): Promise<Metrics | undefined> {
  await server?.ask({ name: 'reset' });
  const before = server?.cpuSeconds?.();
  try {
    const metrics = await perform(contender, server, peers);
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
  peers: string | undefined,
): Promise<Metrics> {
  if ('job' in contender) return runJob(contender, server);
  const program = peers === undefined ? {} : { peers };
  return runPeer(
    contender,
    server === undefined ? program : { ...program, address: server.address },
  );
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
    ...(('clientGo' in benchCase.sides || 'clientGoProtobuf' in benchCase.sides) &&
      peersInGo(keelson, spread)),
    ...('keepBytes' in benchCase.sides && besideProbe(keelson, spread)),
    ...('http1' in benchCase.sides && overHttp1(keelson, spread)),
    ...('controllerRuntime' in benchCase.sides && queueInGo(keelson, spread)),
    runs: Math.max(0, ...[...measured.values()].map((runs) => runs.length)),
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}

function besideProbe(keelson: Spread | null, spread: (side: Side) => Spread | null): BesideProbe {
  const keepBytes = spread('keepBytes');
  return { keepBytes, ratioToKeepBytes: ratio(keelson, keepBytes) };
}

function overHttp1(keelson: Spread | null, spread: (side: Side) => Spread | null): OverHttp1 {
  const http1 = spread('http1');
  return { http1, ratioToHttp1: ratio(keelson, http1) };
}

function queueInGo(keelson: Spread | null, spread: (side: Side) => Spread | null): QueueInGo {
  const controllerRuntime = spread('controllerRuntime');
  return { controllerRuntime, ratioToControllerRuntime: ratio(keelson, controllerRuntime) };
}

function peersInGo(keelson: Spread | null, spread: (side: Side) => Spread | null): PeersInGo {
  const [clientGo, clientGoProtobuf] = [spread('clientGo'), spread('clientGoProtobuf')];
  return {
    clientGo,
    clientGoProtobuf,
    ratioToClientGo: ratio(keelson, clientGo),
    ratioToClientGoProtobuf: ratio(keelson, clientGoProtobuf),
  };
}
