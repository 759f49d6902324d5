import type { BenchCase, PeerContender, Row } from './bench-case.ts';
import type { Scale } from './scale.ts';

/** The cases against a kube-apiserver with etcd, over TLS, beside client-node and client-go. */
export function realCases(scale: Scale): readonly BenchCase[] {
  return scale.realLists.flatMap((pods) =>
    (['protobuf', 'json'] as const).flatMap((format) => [
      asEachDoes(scale, format, pods),
      ...(pods === scale.realPods ? [byList(scale, format)] : []),
    ]),
  );
}

/** Protobuf is the default of Keelson and of client-go for built-in kinds. Custom resources are JSON. */
type WireFormat = 'protobuf' | 'json';

/**
 * Each contender with its other options as by default: Keelson and client-go request a WatchList, client-node
 * requests a list.
 */
function asEachDoes(scale: Scale, format: WireFormat, pods: number): BenchCase {
  const prefix = prefixOf(format);
  const name = `${prefix}.list.${pods}`;
  const view = format === 'json' ? 'keelsonJson' : 'keelson';
  const bytes: Row = { case: `${prefix}.object.bytes`, metric: 'bytesPerObject', unit: 'B' };
  return {
    name,
    server: { real: true, pods },
    sides: {
      keelson: { job: 'list', options: { pods, view, tls: true } },
      clientNode: { job: 'list', options: { pods, view: 'clientNode', tls: true } },
      ...clientGo(format, pods),
      ...probe(format, pods),
    },
    runs: scale.runs,
    rows: [
      ...rows(name),
      { case: `${name}.longestStall`, metric: 'longestStall', unit: 'ms' },
      ...(pods === scale.realPods ? [bytes] : []),
    ],
  };
}

/** All contenders list, as with a server without WatchList. client-go requests the list with gzip. */
function byList(scale: Scale, format: WireFormat): BenchCase {
  const pods = scale.realPods;
  const name = `${prefixOf(format)}.list.${pods}.noWatchList`;
  const view = format === 'json' ? 'keelsonByListJson' : 'keelsonByList';
  return {
    name,
    server: { real: true, pods },
    sides: {
      keelson: { job: 'list', options: { pods, view, tls: true } },
      ...clientGo(format, pods, { KUBE_FEATURE_WatchListClient: 'false' }),
    },
    runs: scale.runs,
    rows: rows(name),
  };
}

function prefixOf(format: WireFormat): string {
  return format === 'json' ? 'real.json' : 'real';
}

function clientGo(
  format: WireFormat,
  pods: number,
  environment: Readonly<Record<string, string>> = {},
): BenchCase['sides'] {
  const peer = [`-mode=${format}`, `-count=${pods}`, 'measure'];
  const contender: PeerContender = { language: 'go', peer, environment };
  return format === 'json' ? { clientGo: contender } : { clientGoProtobuf: contender };
}

/** The probe that keeps bytes; that of JSON measures lists of the server with rendered responses. */
function probe(format: WireFormat, pods: number): BenchCase['sides'] {
  if (format === 'json') return {};
  return { keepBytes: { job: 'list', options: { pods, view: 'keepProtobuf', tls: true } } };
}

function rows(name: string): readonly Row[] {
  return [
    { case: name, metric: 'ms', unit: 'ms' },
    { case: `${name}.cpu`, metric: 'cpu', unit: 's' },
    { case: `${name}.serverCpu`, metric: 'serverCpu', unit: 's' },
    { case: `${name}.peakRss`, metric: 'peakRss', unit: 'MB' },
  ];
}
