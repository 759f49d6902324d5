import type { OtherRatio, Result } from './results.ts';

type RatioMember = OtherRatio | 'ratioToClientNode' | 'ratioToLimit';

/** The limit of a case, as a ratio or as a value. */
export interface Target {
  readonly of: RatioMember | 'figure' | `ratio to ${string}`;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The column "full depth" of the project's targets. */
export const targets: Readonly<Record<string, Target>> = {
  'list.50000': { of: 'ratioToClientNode', atMost: 0.15 },
  'list.50000.peakRss': { of: 'ratioToClientNode', atMost: 0.22 },
  'list.100000.longestStall': { of: 'figure', atMost: 25 },
  'object.bytes': { of: 'ratioToClientNode', atMost: 0.36 },
  'watch.burst': { of: 'ratioToClientNode', atLeast: 3 },
  'watch.burst.tls': { of: 'ratioToClientNode', atLeast: 2.7 },
  'watch.latency.p50': { of: 'ratioToClientNode', atMost: 0.4 },
  'watch.latency.p99': { of: 'ratioToClientNode', atMost: 0.1 },
  'fanout.100': { of: 'ratio to fanout.1', atMost: 1.3 },
  'fanout.handles.100': { of: 'ratio to fanout.1', atMost: 1.3 },
  'kinds.500.rss': { of: 'figure', atMost: 60 },
  'kinds.small.rss': { of: 'figure', atMost: 80 },
  'kinds.500.sockets': { of: 'figure', atMost: 500 },
  'recovery.410stream': { of: 'ratioToClientNode', atMost: 0.15 },
  'recovery.410connect': { of: 'ratioToClientNode', atMost: 0.15 },
  'recovery.cut': { of: 'figure', atMost: 30 },
  'recovery.cut.lists': { of: 'figure', atMost: 0 },
  'reconcile.latency.p50': { of: 'figure', atMost: 50 },
  'reconcile.latency.p99': { of: 'figure', atMost: 500 },
  'reconcile.overhead': { of: 'figure', atMost: 8 },
  'get.hot': { of: 'figure', atMost: 0.2 },
  'get.cold': { of: 'ratioToLimit', atMost: 1.5 },
  'requests.tls.3000': { of: 'ratioToLimit', atMost: 1.1 },
  'queue.cycle': { of: 'figure', atLeast: 3_000_000 },
  'queue.cycle.1000000': { of: 'figure', atLeast: 1_500_000 },
  'queue.measured.1000': { of: 'ratioToControllerRuntime', atLeast: 8 },
  'queue.measured.100000': { of: 'ratioToControllerRuntime', atLeast: 6 },
  'queue.measured.1000000': { of: 'ratioToControllerRuntime', atLeast: 6 },
  'queue.filled.1000': { of: 'ratioToControllerRuntime', atLeast: 5 },
  'queue.filled.100000': { of: 'ratioToControllerRuntime', atLeast: 5 },
  'queue.filled.1000000': { of: 'ratioToControllerRuntime', atLeast: 5 },
  'queue.lateness.p99': { of: 'figure', atMost: 3 },
  'queue.collapse': { of: 'figure', atLeast: 8_000_000 },
  'queue.delayed.bytes': { of: 'figure', atMost: 120 },
  'manager.import': { of: 'figure', atMost: 60 },
  'start.pod.rss': { of: 'figure', atMost: 105 },
  'apiserver.ready': { of: 'figure', atMost: 15 },
  'webhook.1.p50': { of: 'ratioToControllerRuntime', atMost: 1.2 },
  'webhook.1.reviews': { of: 'ratioToControllerRuntime', atLeast: 0.83 },
  'webhook.1.cpu': { of: 'ratioToControllerRuntime', atMost: 1.5 },
  'webhook.64.p50': { of: 'ratioToControllerRuntime', atMost: 1.2 },
  'webhook.64.reviews': { of: 'ratioToControllerRuntime', atLeast: 0.83 },
  'webhook.64.cpu': { of: 'ratioToControllerRuntime', atMost: 1.5 },
  'real.list.1000.cpu': { of: 'ratioToClientGoProtobuf', atMost: 1.2 },
  'real.list.5000.cpu': { of: 'ratioToClientGoProtobuf', atMost: 0.9 },
  'real.list.20000': { of: 'ratioToClientGoProtobuf', atMost: 0.6 },
  'real.list.20000.cpu': { of: 'ratioToClientGoProtobuf', atMost: 0.5 },
  'real.object.bytes': { of: 'ratioToClientGoProtobuf', atMost: 0.25 },
  'real.json.list.20000': { of: 'ratioToClientGo', atMost: 0.35 },
  'real.json.list.20000.cpu': { of: 'ratioToClientGo', atMost: 0.2 },
  'real.json.object.bytes': { of: 'ratioToClientGo', atMost: 0.4 },
};

/** The targets beside the probe that keeps bytes. */
export const probeTargets: Readonly<Record<string, Target>> = {
  'list.1000': { of: 'ratioToKeepBytes', atMost: 1.5 },
  'list.50000': { of: 'ratioToKeepBytes', atMost: 1.25 },
  'list.150000': { of: 'ratioToKeepBytes', atMost: 1.25 },
  'watch.burst': { of: 'ratioToKeepBytes', atLeast: 0.8 },
  'watch.burst.tls': { of: 'ratioToKeepBytes', atLeast: 0.75 },
  'watch.latency.p99': { of: 'figure', atMost: 1000 },
};

/** The targets beside kube-rs. Those beside client-go are for a real API server. */
export const peerTargets: Readonly<Record<string, Target>> = {
  'watch.burst': { of: 'ratioToKubeRs', atLeast: 5 },
  'watch.latency.p50': { of: 'ratioToKubeRs', atMost: 0.5 },
  'watch.latency.p99': { of: 'ratioToKubeRs', atMost: 1 },
};

/** The value that the target limits; `undefined` while it cannot be computed. */
export function measuredFor(
  target: Target,
  result: Result,
  all: readonly Result[],
): number | undefined {
  if (target.of === 'figure') return result.keelson?.median;
  if (isRatio(target.of)) return result[target.of] ?? undefined;
  const other = all.find((candidate) => `ratio to ${candidate.case}` === target.of);
  const [ours, theirs] = [result.keelson?.median, other?.keelson?.median];
  return ours === undefined || theirs === undefined ? undefined : ours / theirs;
}

function isRatio(of: Target['of']): of is RatioMember {
  return of.startsWith('ratioTo');
}

export function isMet(target: Target, measured: number): boolean {
  return measured <= (target.atMost ?? Infinity) && measured >= (target.atLeast ?? -Infinity);
}
