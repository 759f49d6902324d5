import type { BenchCase, Row } from './bench-case.ts';
import type { JobOptions } from '../servers/protocol.ts';
import type { Scale } from './scale.ts';

const WATCHES = 200;
const WRITES_PER_SECOND = 100;

/** Watches over HTTP/2 with pings beside HTTP/1.1 with bookmarks, against a kube-apiserver with etcd over TLS. */
export function transportCases(scale: Scale): readonly BenchCase[] {
  const pods = scale.realPods;
  const writes = WRITES_PER_SECOND * scale.latencySeconds;
  return [
    transportCase(scale, 'list', { pods, view: 'keelson', tls: true }, [
      { case: 'transport.list', metric: 'ms', unit: `ms, ${String(pods)} pods` },
      { case: 'transport.list.cpu', metric: 'cpu', unit: 's' },
      { case: 'transport.list.serverCpu', metric: 'serverCpu', unit: 's' },
    ]),
    transportCase(scale, 'transport.latency', { writes, perSecond: WRITES_PER_SECOND }, [
      { case: 'transport.latency.p50', metric: 'p50', unit: 'ms from write to event' },
      { case: 'transport.latency.p99', metric: 'p99', unit: 'ms from write to event' },
    ]),
    transportCase(scale, 'transport.watches', { watches: WATCHES, restSeconds: 0 }, [
      { case: 'transport.open', metric: 'ms', unit: `ms, ${String(WATCHES)} watches` },
      { case: 'transport.open.cpu', metric: 'cpu', unit: 's' },
      { case: 'transport.open.serverCpu', metric: 'serverCpu', unit: 's' },
      { case: 'transport.open.memory', metric: 'memory', unit: 'MB' },
      { case: 'transport.open.sockets', metric: 'sockets', unit: 'sockets' },
    ]),
    transportCase(
      scale,
      'transport.watches',
      { watches: WATCHES, restSeconds: scale.restSeconds },
      [{ case: 'transport.rest', metric: 'restCpu', unit: 'ms CPU per minute at rest' }],
    ),
  ];
}

function transportCase(
  scale: Scale,
  job: string,
  options: JobOptions,
  rows: readonly Row[],
): BenchCase {
  return {
    name: rows[0]?.case ?? job,
    server: { real: true, pods: scale.realPods },
    sides: {
      keelson: { job, options: { ...options, http2: true } },
      http1: { job, options: { ...options, http2: false } },
    },
    runs: scale.runs,
    rows,
  };
}
