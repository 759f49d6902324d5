import type { BenchCase, Contender, Row } from './bench-case.ts';
import { cacheCases } from './cache-cases.ts';
import { growthCases } from './growth-cases.ts';
import { memoryCases } from './memory-cases.ts';
import { operatorCases } from './operator-cases.ts';
import { informers } from './peers.ts';
import { processCases } from './process-cases.ts';
import type { JobOptions } from '../servers/protocol.ts';
import { realCases } from './real-cases.ts';
import { transportCases } from './transport-cases.ts';
import { webhookCases } from './webhook-cases.ts';
import type { Scale } from './scale.ts';

const WATCHED_PODS = 2000;
const EVENTS_PER_SECOND = 2000;
const MISSED = 100;
/** The largest list with the peers in Go and Rust. client-go takes twelve seconds for it. */
const LARGEST_OF_PEERS = 50_000;

export function benchCases(scale: Scale): readonly BenchCase[] {
  return [
    ...scale.listSizes.map((pods) => listCase(scale, pods)),
    hugeListCase(scale),
    ...scale.watchListSizes.map((pods) => watchListCase(scale, pods)),
    burstCase(scale, 'watch.burst', false),
    burstCase(scale, 'watch.burst.tls', true),
    keptBurstCase(scale),
    latencyCase(scale),
    ...[1, 10, 100].map((handlers) => fanOutCase(scale, handlers)),
    handlesCase(scale),
    ...(['stream', 'connect', 'cut'] as const).map((how) => recoveryCase(scale, how)),
    ...cacheCases(scale),
    ...growthCases(scale),
    ...memoryCases(scale),
    ...operatorCases(scale),
    ...processCases(scale),
    ...serverCases(scale),
    ...realCases(scale),
    ...transportCases(scale),
    ...webhookCases(scale),
  ];
}

function views(
  job: string,
  options: JobOptions,
): { [Name in 'keelson' | 'clientNode' | 'limit']: Contender } {
  return {
    keelson: { job, options: { ...options, view: 'keelson' } },
    clientNode: { job, options: { ...options, view: 'clientNode' } },
    limit: { job, options: { ...options, view: 'plain' } },
  };
}

/** The same, with the probe that keeps bytes. */
function viewsAndProbe(job: string, options: JobOptions): BenchCase['sides'] {
  return {
    ...views(job, options),
    keepBytes: { job, options: { ...options, view: 'keepBytes' } },
  };
}

function listRows(name: string): readonly Row[] {
  return [
    { case: name, metric: 'ms', unit: 'ms' },
    { case: `${name}.cpu`, metric: 'cpu', unit: 's' },
    { case: `${name}.peakRss`, metric: 'peakRss', unit: 'MB' },
    { case: `${name}.longestStall`, metric: 'longestStall', unit: 'ms' },
  ];
}

function listCase(scale: Scale, pods: number): BenchCase {
  const name = `list.${String(pods)}`;
  const bytes: Row = { case: 'object.bytes', metric: 'bytesPerObject', unit: 'B' };
  return {
    name,
    server: { pods },
    sides: {
      ...viewsAndProbe('list', { pods }),
      ...(pods <= LARGEST_OF_PEERS && informers(`-count=${pods}`, 'measure')),
    },
    runs: scale.runs,
    rows: pods === 50_000 ? [...listRows(name), bytes] : listRows(name),
  };
}

/** One response that is longer than a string can be; client-node reads a list as one string. */
function hugeListCase(scale: Scale): BenchCase {
  const pods = scale.hugeList;
  const name = `list.${String(pods)}`;
  const { clientNode } = views('list', { pods });
  return {
    name,
    server: { pods },
    sides: { ...viewsAndProbe('list', { pods }), clientNode: { ...clientNode, mayFail: true } },
    runs: scale.runs,
    rows: listRows(name),
  };
}

/** The same pods as a WatchList (KEP-3157), which only Keelson requests here: a server since 1.34 responds to it. */
function watchListCase(scale: Scale, pods: number): BenchCase {
  const name = `watchlist.${String(pods)}`;
  return {
    name,
    server: { pods, watchList: true },
    sides: {
      keelson: { job: 'list', options: { pods, view: 'keelson' } },
      keepBytes: { job: 'list', options: { pods, view: 'keepBytes' } },
    },
    runs: scale.runs,
    rows: listRows(name),
  };
}

function burstCase(scale: Scale, name: string, tls: boolean): BenchCase {
  const events = scale.burstEvents;
  return eventsCase(scale, name, {
    ...viewsAndProbe('burst', { events, tls }),
    ...(!tls && informers(`-count=${events}`, 'burst')),
  });
}

/** With a handler that may keep the views of its events, so that their bytes are free only after a garbage collection. */
function keptBurstCase(scale: Scale): BenchCase {
  const options = { events: scale.burstEvents, keepsViews: true };
  return eventsCase(scale, 'watch.burst.kept', {
    keelson: { job: 'burst', options: { ...options, view: 'keelson' } },
    keepBytes: { job: 'burst', options: { ...options, view: 'keepBytes' } },
  });
}

function eventsCase(scale: Scale, name: string, sides: BenchCase['sides']): BenchCase {
  return {
    name,
    server: { pods: WATCHED_PODS, events: scale.burstEvents },
    sides,
    runs: scale.runs,
    rows: [
      { case: name, metric: 'perSecond', unit: 'events/s' },
      { case: `${name}.cpu`, metric: 'cpuPer10k', unit: 's per 10 000' },
    ],
  };
}

function latencyCase(scale: Scale): BenchCase {
  const [perSecond, events] = [EVENTS_PER_SECOND, EVENTS_PER_SECOND * scale.latencySeconds];
  return {
    name: 'watch.latency',
    server: { pods: WATCHED_PODS },
    sides: {
      ...viewsAndProbe('latency', { perSecond, events }),
      ...informers(`-count=${events}`, `-per-second=${perSecond}`, 'latency'),
    },
    runs: scale.runs,
    rows: [
      { case: 'watch.latency.p50', metric: 'p50', unit: 'µs' },
      { case: 'watch.latency.p99', metric: 'p99', unit: 'µs' },
    ],
  };
}

function fanOutCase(scale: Scale, handlers: number): BenchCase {
  const events = scale.burstEvents / 2;
  const name = `fanout.${String(handlers)}`;
  return {
    name,
    server: { pods: WATCHED_PODS, events },
    sides: views('burst', { events, handlers }),
    runs: scale.runs,
    rows: [{ case: name, metric: 'cpuPerEvent', unit: 'µs CPU per event' }],
  };
}

/** The handlers of `fanout.100`, each of a handle of its own, as each controller has one. */
function handlesCase(scale: Scale): BenchCase {
  const events = scale.burstEvents / 2;
  return {
    name: 'fanout.handles.100',
    server: { pods: WATCHED_PODS, events },
    sides: { keelson: { job: 'burst', options: { events, handles: 100, view: 'keelson' } } },
    runs: scale.runs,
    rows: [{ case: 'fanout.handles.100', metric: 'cpuPerEvent', unit: 'µs CPU per event' }],
  };
}

function recoveryCase(scale: Scale, how: 'stream' | 'connect' | 'cut'): BenchCase {
  const name = {
    stream: 'recovery.410stream',
    connect: 'recovery.410connect',
    cut: 'recovery.cut',
  }[how];
  const options = { how, changed: MISSED };
  const { keelson, clientNode } = views('recovery', options);
  return {
    name,
    server: { pods: scale.recoveryPods, changes: true },
    sides: { keelson, clientNode },
    runs: scale.runs,
    rows: [
      { case: name, metric: 'ms', unit: 'ms' },
      { case: `${name}.lists`, metric: 'lists', unit: 'lists' },
    ],
  };
}

/** The rate of server and transport for a client that only counts: the upper bound of all others. */
function serverCases(scale: Scale): readonly BenchCase[] {
  const events = scale.burstEvents;
  const pods = scale.listSizes.at(-2) ?? 1000;
  return [
    {
      name: 'server.list',
      server: { pods },
      sides: { limit: { job: 'list', options: { pods, view: 'sink' } } },
      runs: scale.runs,
      rows: [{ case: 'server.list', metric: 'ms', unit: 'ms' }],
    },
    {
      name: 'server.burst',
      server: { pods: WATCHED_PODS, events },
      sides: { limit: { job: 'burst', options: { events, view: 'sink' } } },
      runs: scale.runs,
      rows: [{ case: 'server.burst', metric: 'perSecond', unit: 'events/s' }],
    },
  ];
}
