import type { BenchCase, PeerContender, Row } from './bench-case.ts';
import type { Scale } from './scale.ts';

/** The cases against a kube-apiserver with etcd, over TLS, beside client-node and client-go. */
export function realCases(scale: Scale): readonly BenchCase[] {
  return [asEachDoes(scale), byList(scale)];
}

/**
 * Each contender with its default options: Keelson and client-go request a WatchList, client-node
 * requests a list.
 */
function asEachDoes(scale: Scale): BenchCase {
  const pods = scale.realPods;
  const name = `real.list.${pods}`;
  return {
    name,
    server: { real: true, pods },
    sides: {
      keelson: { job: 'list', options: { pods, view: 'keelson', tls: true } },
      clientNode: { job: 'list', options: { pods, view: 'clientNode', tls: true } },
      clientGo: clientGo('json', pods),
      clientGoProtobuf: clientGo('protobuf', pods),
    },
    runs: scale.runs,
    rows: [
      ...rows(name),
      { case: `${name}.longestStall`, metric: 'longestStall', unit: 'ms' },
      { case: 'real.object.bytes', metric: 'bytesPerObject', unit: 'B' },
    ],
  };
}

/** All contenders list, as with a server without WatchList. client-go requests the list with gzip. */
function byList(scale: Scale): BenchCase {
  const pods = scale.realPods;
  const name = `real.list.${pods}.noWatchList`;
  const environment = { KUBE_FEATURE_WatchListClient: 'false' };
  return {
    name,
    server: { real: true, pods },
    sides: {
      keelson: { job: 'list', options: { pods, view: 'keelsonByList', tls: true } },
      clientGo: { ...clientGo('json', pods), environment },
      clientGoProtobuf: { ...clientGo('protobuf', pods), environment },
    },
    runs: scale.runs,
    rows: rows(name),
  };
}

function clientGo(mode: 'json' | 'protobuf', pods: number): PeerContender {
  return { peer: [`-mode=${mode}`, `-count=${pods}`, 'measure'] };
}

function rows(name: string): readonly Row[] {
  return [
    { case: name, metric: 'ms', unit: 'ms' },
    { case: `${name}.cpu`, metric: 'cpu', unit: 's' },
    { case: `${name}.serverCpu`, metric: 'serverCpu', unit: 's' },
    { case: `${name}.peakRss`, metric: 'peakRss', unit: 'MB' },
  ];
}
