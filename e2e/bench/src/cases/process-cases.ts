import type { BenchCase } from './bench-case.ts';
import { queues, queuesWithWorkers } from './peers.ts';
import type { Traces } from '../jobs/observed-reconcile.ts';
import type { Scale } from './scale.ts';

const RECONCILES_PER_SECOND = 200;
/** The rounds of 1 000 adds beside 1 000 workers. */
const CONTENDED_ROUNDS = 500;
const CACHED_PODS = 5000;
/** Starts are short and vary, so they are measured this many times as often. */
const START_RUNS = 3;

/** The cases that measure one part of Keelson without a server. */
export function processCases(scale: Scale): readonly BenchCase[] {
  return [
    ...[1000, 100_000, 1_000_000].map((queued) => queueCycleCase(scale, queued)),
    ...[1000, 10_000, 100_000, 1_000_000].map((queued) => measuredCycleCase(scale, queued)),
    ...[1000, 100_000, 1_000_000].map((queued) => filledCase(scale, queued)),
    workersCase(scale),
    latenessCase(scale),
    collapseCase(scale),
    delayedCase(scale),
    cachedGetCase(scale),
    requestsCase(scale),
    reconcileLatencyCase(scale),
    reconcileOverheadCase(scale),
    observedCase(scale, 'bare', { explains: false, traces: 'none' }),
    observedCase(scale, 'explained', { explains: true, traces: 'none' }),
    observedCase(scale, 'inspected', { explains: true, traces: 'none', isInspected: true }),
    observedCase(scale, 'traced.noop', { explains: true, traces: 'noop' }),
    observedCase(scale, 'traced.unsampled', { explains: true, traces: 'unsampled' }),
    observedCase(scale, 'traced.sampled', { explains: true, traces: 'sampled' }),
    apiserverCase(scale),
    watchedCase(scale),
    storedCase(scale),
    restoreCase(scale),
    importCase(scale),
    startCase(scale, 'pod'),
    startCase(scale, 'kubeconfig'),
  ];
}

function queueCycleCase(scale: Scale, queued: number): BenchCase {
  const name = queued === 1000 ? 'queue.cycle' : `queue.cycle.${String(queued)}`;
  const options = { queued, total: scale.queueItems };
  return {
    name,
    sides: {
      keelson: { job: 'queue.cycle', options },
      limit: { job: 'ring.cycle', options },
    },
    runs: scale.runs,
    rows: [{ case: name, metric: 'perSecond', unit: 'items/s' }],
  };
}

/** Every feature of the queue with metrics, beside the queues of the peers. */
function measuredCycleCase(scale: Scale, queued: number): BenchCase {
  const name = `queue.measured.${String(queued)}`;
  const options = { queued, total: scale.queueItems };
  return {
    name,
    sides: {
      keelson: { job: 'queue.measured.cycle', options },
      limit: { job: 'bare.measured.cycle', options },
      ...queues('cycle', `-queued=${queued}`, `-count=${options.total}`),
    },
    runs: scale.runs,
    rows: [{ case: name, metric: 'perSecond', unit: 'items/s' }],
  };
}

/** A queue that is filled and then drained: a controller at its start. */
function filledCase(scale: Scale, queued: number): BenchCase {
  const name = `queue.filled.${String(queued)}`;
  const options = { queued, total: Math.max(queued, scale.queueItems) };
  return {
    name,
    sides: {
      keelson: { job: 'queue.measured.fill', options },
      limit: { job: 'bare.measured.fill', options },
      ...queues('fill', `-queued=${queued}`, `-count=${options.total}`),
    },
    runs: scale.runs,
    rows: [{ case: name, metric: 'perSecond', unit: 'items/s' }],
  };
}

/** The case of kubernetes-sigs/controller-runtime#3415: adds to a long queue beside a thousand workers. */
function workersCase(scale: Scale): BenchCase {
  const [queued, workers, total] = [scale.queueItems, 1000, CONTENDED_ROUNDS];
  return {
    name: 'queue.workers',
    sides: {
      keelson: { job: 'queue.measured.workers', options: { queued, workers, total } },
      ...queuesWithWorkers(`-queued=${queued}`, `-workers=${workers}`, `-count=${total}`),
    },
    runs: scale.runs,
    rows: [
      { case: 'queue.workers.p50', metric: 'p50', unit: 'µs per 1 000 adds' },
      { case: 'queue.workers.p99', metric: 'p99', unit: 'µs per 1 000 adds' },
    ],
  };
}

function latenessCase(scale: Scale): BenchCase {
  const total = scale.queueItems / 10;
  return {
    name: 'queue.lateness',
    sides: {
      keelson: { job: 'queue.measured.lateness', options: { total } },
      ...queues('delayed', `-count=${total}`),
    },
    runs: scale.runs,
    rows: [{ case: 'queue.lateness.p99', metric: 'p99', unit: 'ms' }],
  };
}

function collapseCase(scale: Scale): BenchCase {
  const options = { total: scale.queueItems * 3 };
  return {
    name: 'queue.collapse',
    sides: {
      keelson: { job: 'queue.collapse', options },
      limit: { job: 'ring.collapse', options },
    },
    runs: scale.runs,
    rows: [{ case: 'queue.collapse', metric: 'perSecond', unit: 'adds/s' }],
  };
}

function delayedCase(scale: Scale): BenchCase {
  return {
    name: 'queue.delayed',
    sides: { keelson: { job: 'queue.delayed', options: { total: scale.queueItems } } },
    runs: scale.runs,
    rows: [{ case: 'queue.delayed.bytes', metric: 'bytes', unit: 'B' }],
  };
}

function cachedGetCase(scale: Scale): BenchCase {
  const options = { pods: CACHED_PODS };
  return {
    name: 'get',
    server: { pods: CACHED_PODS },
    sides: {
      keelson: { job: 'get.keelson', options },
      clientNode: { job: 'get.clientNode', options },
      limit: { job: 'get.limit', options },
    },
    runs: scale.runs,
    rows: [
      { case: 'get.hot', metric: 'hot', unit: 'µs' },
      { case: 'get.cold', metric: 'cold', unit: 'µs' },
    ],
  };
}

function requestsCase(scale: Scale): BenchCase {
  const options = { requests: 3000, atOnce: 20 };
  return {
    name: 'requests.tls.3000',
    server: { pods: 1 },
    sides: {
      keelson: { job: 'requests.keelson', options },
      clientNode: { job: 'requests.clientNode', options },
      limit: { job: 'requests.limit', options },
    },
    runs: scale.runs,
    rows: [{ case: 'requests.tls.3000', metric: 'ms', unit: 'ms' }],
  };
}

function reconcileLatencyCase(scale: Scale): BenchCase {
  const options = {
    perSecond: RECONCILES_PER_SECOND,
    events: RECONCILES_PER_SECOND * scale.latencySeconds,
  };
  return {
    name: 'reconcile.latency',
    server: { pods: 2000 },
    sides: { keelson: { job: 'reconcile.latency', options } },
    runs: scale.runs,
    rows: [
      { case: 'reconcile.latency.p50', metric: 'p50', unit: 'µs above the handler' },
      { case: 'reconcile.latency.p99', metric: 'p99', unit: 'µs above the handler' },
      { case: 'reconcile.latency.fromSocket.p50', metric: 'wholeP50', unit: 'µs' },
      { case: 'reconcile.latency.fromSocket.p99', metric: 'wholeP99', unit: 'µs' },
    ],
  };
}

function reconcileOverheadCase(scale: Scale): BenchCase {
  const options = { total: scale.queueItems / 10, concurrency: 10 };
  return {
    name: 'reconcile.overhead',
    server: { pods: 1 },
    sides: { keelson: { job: 'reconcile.overhead', options } },
    runs: scale.runs,
    rows: [{ case: 'reconcile.overhead', metric: 'micros', unit: 'µs' }],
  };
}

/** An empty reconcile with the history of `explain`, with an open page of the inspector, with spans, or without all. */
function observedCase(
  scale: Scale,
  what: string,
  observers: {
    readonly explains: boolean;
    readonly traces: Traces;
    readonly isInspected?: boolean;
  },
): BenchCase {
  const name = `reconcile.${what}`;
  const options = { total: scale.queueItems / 10, ...observers };
  return {
    name,
    server: { pods: 1 },
    sides: { keelson: { job: 'reconcile.observed', options } },
    runs: scale.runs,
    rows: [{ case: name, metric: 'micros', unit: 'µs CPU' }],
  };
}

function apiserverCase(scale: Scale): BenchCase {
  return {
    name: 'apiserver',
    sides: { keelson: { job: 'apiserver', options: { objects: 5000 } } },
    runs: scale.runs,
    rows: [
      { case: 'apiserver.ready', metric: 'ready', unit: 'ms' },
      { case: 'apiserver.creates', metric: 'creates', unit: 'objects/s' },
      { case: 'apiserver.list', metric: 'lists', unit: 'objects/s' },
    ],
  };
}

/** Writes of ConfigMaps of 0.6 KB, each of which ten watches of other connections receive. */
function watchedCase(scale: Scale): BenchCase {
  const name = 'apiserver.watched';
  return {
    name,
    server: { embedded: true, kinds: 1, objects: 1, tls: false },
    sides: { keelson: { job: name, options: { writes: 10_000, watches: 10 } } },
    runs: scale.runs,
    rows: [{ case: name, metric: 'writes', unit: 'writes/s' }],
  };
}

/** The memory of the server for an object of 2.7 KB, as a multiple of its JSON. */
function storedCase(scale: Scale): BenchCase {
  const name = 'apiserver.memory';
  return {
    name,
    sides: { keelson: { job: name, options: { objects: 20_000 }, flags: ['--expose-gc'] } },
    runs: scale.runs,
    rows: [{ case: name, metric: 'ratio', unit: 'of the JSON' }],
  };
}

function restoreCase(scale: Scale): BenchCase {
  return {
    name: 'snapshot.restore',
    sides: { keelson: { job: 'snapshot.restore', options: { objects: 10_000 } } },
    runs: scale.runs,
    rows: [{ case: 'snapshot.restore', metric: 'ms', unit: 'ms' }],
  };
}

function importCase(scale: Scale): BenchCase {
  return {
    name: 'manager.import',
    sides: {
      keelson: { job: 'import.keelson', options: {} },
      clientNode: { job: 'import.clientNode', options: {} },
    },
    runs: scale.runs * START_RUNS,
    rows: [{ case: 'manager.import', metric: 'ms', unit: 'ms' }],
  };
}

/** The start of an operator with one controller, metrics and health: in a Pod, or with a kubeconfig. */
function startCase(scale: Scale, how: 'pod' | 'kubeconfig'): BenchCase {
  const name = `start.${how}`;
  return {
    name,
    server: { embedded: true, kinds: 1, objects: 1, tls: true },
    sides: { keelson: { job: name, options: {} } },
    runs: scale.runs * START_RUNS,
    rows: [
      { case: name, metric: 'ms', unit: 'ms' },
      { case: `${name}.rss`, metric: 'rss', unit: 'MB' },
    ],
  };
}
