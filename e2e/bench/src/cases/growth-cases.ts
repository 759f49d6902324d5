import type { BenchCase, Row } from './bench-case.ts';
import type { Scale } from './scale.ts';

/** Events for the cost of an event at each size. */
const EVENTS = 20_000;
/** Runs of a point; the largest takes up to two minutes and runs once. */
const RUNS = 3;
const LARGE = 1_000_000;
const PODS_OF_CONTROLLERS = 5000;
const INDEXED_OBJECTS = 10_000;

/** How the cost of a process grows with its objects, kinds and controllers. Each point is a case. */
export function growthCases(scale: Scale): readonly BenchCase[] {
  const { objects, kinds, controllers } = scale.growth;
  return [
    ...objects.flatMap((count) => [
      objectsCase(scale, 'lazy', count),
      objectsCase(scale, 'compressed', count),
    ]),
    ...(['indexes', 'selectors'] as const).flatMap((of) =>
      scale.growth[of].map((count) => observersCase(scale, of, count)),
    ),
    ...kinds.map((count) => kindsCase(scale, count)),
    ...controllers.map((count) => controllersCase(scale, count)),
  ];
}

function objectsCase(scale: Scale, retain: 'lazy' | 'compressed', objects: number): BenchCase {
  const name = `growth.${retain}.${objects}`;
  return {
    name,
    server: { things: objects, events: EVENTS },
    sides: { keelson: { job: 'growth.objects', options: { retain, objects, events: EVENTS } } },
    runs: objects >= LARGE ? 1 : Math.min(scale.runs, RUNS),
    rows: rowsOf(name, {
      seconds: 's',
      cpu: 's CPU',
      cpuPerObject: 'µs CPU per object',
      longestStall: 'ms CPU',
      peakRss: 'MB',
      heap: 'MB',
      bytesPerObject: 'B',
      cpuPerEvent: 'µs CPU per event',
    }),
  };
}

/** The indexes, or the views with a selector, of one watch. */
function observersCase(scale: Scale, of: 'indexes' | 'selectors', count: number): BenchCase {
  const name = `growth.${of}.${count}`;
  const objects = INDEXED_OBJECTS;
  const options = { retain: 'lazy', objects, events: EVENTS, [of]: count };
  return {
    name,
    server: { things: objects, events: EVENTS },
    sides: { keelson: { job: 'growth.objects', options } },
    runs: Math.min(scale.runs, RUNS),
    rows: rowsOf(name, { cpuPerEvent: 'µs CPU per event', bytesPerObject: 'B' }),
  };
}

function kindsCase(scale: Scale, kinds: number): BenchCase {
  const name = `growth.kinds.${kinds}`;
  return {
    name,
    server: { embedded: true, kinds, objects: 20, tls: true },
    sides: { keelson: { job: 'cache.kinds', options: { kinds } } },
    runs: Math.min(scale.runs, RUNS),
    rows: rowsOf(name, {
      cpu: 's CPU',
      rss: 'MB above one kind',
      retained: 'MB above one kind',
      sockets: 'sockets',
    }),
  };
}

function controllersCase(scale: Scale, controllers: number): BenchCase {
  const name = `growth.controllers.${controllers}`;
  const objects = PODS_OF_CONTROLLERS;
  return {
    name,
    server: { pods: objects, events: objects },
    sides: { keelson: { job: 'growth.controllers', options: { controllers, objects } } },
    runs: Math.min(scale.runs, RUNS),
    rows: rowsOf(name, {
      seconds: 's',
      cpuPerEvent: 'µs CPU per event',
      cpuPerReconcile: 'µs CPU per reconcile',
      memory: 'MB',
    }),
  };
}

/** A row for each metric, by its unit. */
function rowsOf(name: string, units: Readonly<Record<string, string>>): readonly Row[] {
  return Object.entries(units).map(([metric, unit]) => ({
    case: `${name}.${metric}`,
    metric,
    unit,
  }));
}
