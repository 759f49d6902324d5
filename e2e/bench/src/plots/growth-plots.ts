import { containers, semiSpaces } from '../cases/memory-cases.ts';
import { fullScale } from '../cases/scale.ts';
import type { Result } from '../page/results.ts';
import type { Spread } from '../page/spread.ts';
import type { Plot, Point, Series } from './svg-plot.ts';

/** A plot of `docs/performance.md`, and the file with its image. */
export interface NamedPlot extends Plot {
  /** The name of its file in `docs/plots/performance`. */
  readonly name: string;
}

type Contender =
  | 'keelson'
  | 'clientNode'
  | 'limit'
  | 'clientGo'
  | 'clientGoProtobuf'
  | 'keepBytes'
  | 'controllerRuntime'
  | 'kubeRs';

interface Curve {
  readonly name: string;
  /** The case with the figure at x; a missing result is a missing point. */
  readonly caseAt: (x: number) => string;
  /** Default: Keelson. */
  readonly of?: Contender;
}

interface Definition extends Omit<NamedPlot, 'series'> {
  readonly at: readonly number[];
  readonly curves: readonly Curve[];
}

const { objects, kinds, controllers, indexes } = fullScale.growth;
const retentions = ['lazy', 'compressed'] as const;

function ofRetentions(metric: string): readonly Curve[] {
  return retentions.map((retain) => ({
    name: retain,
    caseAt: (x) => `growth.${retain}.${x}.${metric}`,
  }));
}

/** The programs that list pods, in the order of the plots. */
const listContenders = [
  ['Keelson', 'keelson'],
  ['client-node', 'clientNode'],
  ['client-go', 'clientGo'],
  ['kube-rs', 'kubeRs'],
] as const;

function ofLists(metric: string): readonly Curve[] {
  return listContenders.map(([name, of]) => ({ name, of, caseAt: (x) => `list.${x}${metric}` }));
}

/** The contenders against a real kube-apiserver: client-node reads JSON, the others protobuf. The probe only keeps bytes. */
function ofRealLists(metric: string): readonly Curve[] {
  return (
    [
      ['Keelson', 'keelson'],
      ['client-node, JSON', 'clientNode'],
      ['client-go', 'clientGoProtobuf'],
      ['probe', 'keepBytes'],
    ] as const
  ).map(([name, of]) => ({ name, of, caseAt: (x) => `real.list.${x}${metric}` }));
}

const ofRealPods = {
  x: 'pods of a real kube-apiserver in the first list',
  at: fullScale.realLists,
  isLogarithmic: true,
} as const;

const ofPods = {
  x: 'pods of 5.2 KB in the first list',
  at: fullScale.listSizes,
  isLogarithmic: true,
} as const;

const { owners, changesPerSecond, idleKinds } = fullScale.operator;

/** Keelson and controller-runtime. */
function ofOperators(caseAt: Curve['caseAt']): readonly Curve[] {
  return [
    { name: 'Keelson', caseAt },
    { name: 'controller-runtime', of: 'controllerRuntime', caseAt },
  ];
}

const ofSemiSpaces = { x: '--max-semi-space-size in MiB', at: semiSpaces };
const ofOwners = { x: 'owners with one child each', at: owners };

const ofObjects = { x: 'custom resources of 2.2 KB in one process', at: objects };
const ofKinds = { x: 'kinds of 20 objects', at: kinds };
const ofControllers = { x: 'controllers of one kind with 5 000 objects', at: controllers };

const definitions: readonly Definition[] = [
  { ...ofPods, name: 'list-time', title: 'Time until synced', y: 'ms', curves: ofLists('') },
  {
    ...ofPods,
    name: 'list-cpu',
    title: 'Processor time until synced',
    y: 's',
    curves: ofLists('.cpu'),
  },
  {
    ...ofPods,
    name: 'list-memory',
    title: 'Peak resident memory of the process',
    y: 'MB',
    curves: ofLists('.peakRss'),
  },
  {
    ...ofRealPods,
    name: 'protobuf-time',
    title: 'Time until synced, over TLS',
    y: 'ms',
    curves: ofRealLists(''),
  },
  {
    ...ofRealPods,
    name: 'protobuf-cpu',
    title: 'Processor time until synced',
    y: 's',
    curves: ofRealLists('.cpu'),
  },
  {
    ...ofRealPods,
    name: 'protobuf-memory',
    title: 'Peak resident memory of the process',
    y: 'MB',
    curves: ofRealLists('.peakRss'),
  },
  {
    ...ofObjects,
    name: 'objects-time',
    title: 'Processor time until synced',
    y: 's',
    isLogarithmic: true,
    curves: ofRetentions('cpu'),
  },
  {
    ...ofObjects,
    name: 'objects-cpu',
    title: 'Processor time of one object until synced, and of one event after that',
    y: 'µs',
    curves: [
      ...ofRetentions('cpuPerObject'),
      ...ofRetentions('cpuPerEvent').map((each) => ({ ...each, name: `event, ${each.name}` })),
    ],
  },
  {
    ...ofObjects,
    name: 'objects-memory',
    title: 'Memory of the process',
    y: 'MB',
    isLogarithmic: true,
    curves: [
      ...ofRetentions('peakRss').map((each) => ({ ...each, name: `peak RSS, ${each.name}` })),
      ...ofRetentions('heap').map((each) => ({ ...each, name: `heap, ${each.name}` })),
    ],
  },
  {
    ...ofObjects,
    name: 'objects-stall',
    title: 'Longest stall of the event loop until synced, in processor time',
    y: 'ms',
    curves: ofRetentions('longestStall'),
  },
  {
    ...ofKinds,
    name: 'kinds-memory',
    title: 'Memory above that of one kind',
    y: 'MB',
    curves: [
      { name: 'resident', caseAt: (x) => `growth.kinds.${x}.rss` },
      { name: 'after collection', caseAt: (x) => `growth.kinds.${x}.retained` },
    ],
  },
  {
    ...ofKinds,
    name: 'kinds-time',
    title: 'Processor time until all kinds have synced, over TLS',
    y: 's',
    curves: [{ name: 'Keelson', caseAt: (x) => `growth.kinds.${x}.cpu` }],
  },
  {
    ...ofControllers,
    name: 'controllers-cpu',
    title: 'Processor time of one reconcile, with its share of the event',
    y: 'µs',
    curves: [{ name: 'Keelson', caseAt: (x) => `growth.controllers.${x}.cpuPerReconcile` }],
  },
  {
    ...ofControllers,
    name: 'controllers-memory',
    title: 'Memory of the manager with its cache',
    y: 'MB',
    curves: [{ name: 'Keelson', caseAt: (x) => `growth.controllers.${x}.memory` }],
  },
  {
    name: 'observers-cpu',
    title: 'Processor time of one event',
    x: 'indexes, or views with a selector, of a watch of 10 000 objects',
    y: 'µs',
    at: indexes,
    curves: [
      { name: 'indexes', caseAt: (x) => `growth.indexes.${x}.cpuPerEvent` },
      { name: 'selectors', caseAt: (x) => `growth.selectors.${x}.cpuPerEvent` },
    ],
  },
  {
    name: 'handlers',
    title: 'Processor time of one event',
    x: 'handlers of one watch',
    y: 'µs',
    at: [1, 10, 100],
    curves: [
      { name: 'Keelson', caseAt: (x) => `fanout.${x}` },
      { name: 'client-node', caseAt: (x) => `fanout.${x}`, of: 'clientNode' },
      { name: 'limit', caseAt: (x) => `fanout.${x}`, of: 'limit' },
    ],
  },
  {
    name: 'queue',
    title: 'Queues: items added, taken and finished per second',
    x: 'items queued',
    y: 'items/s',
    isLogarithmic: true,
    at: objects,
    curves: (
      [
        ['Keelson, all features', 'keelson'],
        ['controller-runtime, priority', 'controllerRuntime'],
        ['kube-rs, scheduler', 'kubeRs'],
        ['client-go, plain', 'clientGo'],
      ] as const
    ).map(([name, of]) => ({ name, of, caseAt: (x) => `queue.measured.${x}` })),
  },
  {
    name: 'fit',
    title: 'The largest list of pods that a container can keep',
    x: 'MiB of memory of the container',
    y: 'pods of 5.2 KB',
    at: containers,
    curves: listContenders.map(([name, of]) => ({ name, of, caseAt: (x) => `fit.${x}.pods` })),
  },
  {
    ...ofSemiSpaces,
    name: 'collections',
    title: 'Garbage collections of 10 000 events that a controller reconciles',
    y: 'collections',
    isLogarithmic: true,
    curves: [
      { name: 'minor', caseAt: (x) => `collections.${x}.minor` },
      { name: 'major', caseAt: (x) => `collections.${x}.major` },
    ],
  },
  {
    ...ofSemiSpaces,
    name: 'collections-cpu',
    title: 'Processor time of 10 000 events that a controller reconciles',
    y: 's',
    curves: [{ name: 'Keelson', caseAt: (x) => `collections.${x}.cpu` }],
  },
  {
    ...ofSemiSpaces,
    name: 'collections-memory',
    title: 'Peak resident memory of the process',
    y: 'MB',
    curves: [{ name: 'Keelson', caseAt: (x) => `collections.${x}.peakRss` }],
  },
  {
    ...ofOwners,
    name: 'restart-owners-cpu',
    title: 'Processor time from a restart until every owner was reconciled',
    y: 's',
    curves: ofOperators((x) => `restart.owners.${x}.cpu`),
  },
  {
    ...ofOwners,
    name: 'restart-owners-memory',
    title: 'Peak resident memory until every owner was reconciled',
    y: 'MB',
    curves: ofOperators((x) => `restart.owners.${x}.peakRss`),
  },
  {
    name: 'restart-waiting',
    title: 'Time from a restart until an unchanged object is reconciled',
    x: 'changes of other objects per second',
    y: 's',
    at: changesPerSecond,
    curves: ofOperators((x) => `restart.waiting.${x}.object`),
  },
  {
    name: 'idle',
    title: 'Processor time of an idle operator',
    x: 'kinds, each with a controller and 20 objects',
    y: 'ms per minute',
    at: idleKinds,
    curves: ofOperators((x) => `idle.${x}.cpu`),
  },
];

/** The plots of the results. A plot without any result is left out. */
export function growthPlots(results: readonly Result[]): readonly NamedPlot[] {
  const byCase = new Map(results.map((result) => [result.case, result]));
  return definitions.flatMap(({ at, curves, ...plot }) => {
    const series = curves
      .map((curve): Series => ({ name: curve.name, points: pointsOf(curve, at, byCase) }))
      .filter(({ points }) => points.length > 0);
    return series.length === 0 ? [] : [{ ...plot, series }];
  });
}

function pointsOf(
  { caseAt, of = 'keelson' }: Curve,
  at: readonly number[],
  results: ReadonlyMap<string, Result>,
): readonly Point[] {
  return at.flatMap((x) => {
    const spread: Spread | null | undefined = results.get(caseAt(x))?.[of];
    return spread === null || spread === undefined ? [] : [{ x, y: spread.median }];
  });
}
