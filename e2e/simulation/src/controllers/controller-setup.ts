import type { ControllerOptions, Request } from '@keelson/manager';
import type { WatchOptions } from '@keelson/manager/sources';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import { RESYNC_MS } from '../cache/resync-model.ts';
import { pick } from '../server/pick.ts';
import { Part, Setting, Thing, type Item } from '../server/kind.ts';
import type { SimulatedController } from './simulated-controller.ts';
import { keyOf, type WatchedQuery, type WatchedSource } from './watched-source.ts';

/** The queries of watches that are added at run time. Each maps some objects to the same requests as another. */
export const addedQueries: readonly WatchedQuery[] = [
  { resource: Setting },
  { resource: Setting, namespace: 'n1' },
  { resource: Setting, labelSelector: 'app=x' },
  { resource: Setting, labelSelector: 'app' },
  { resource: Part, namespace: 'n1' },
  { resource: Part, labelSelector: 'app in (x,y)' },
  { resource: Part },
  { resource: Part, namespaces: ['n1'] },
  { resource: Thing, labelSelector: 'app=x' },
  { resource: Thing, namespace: 'n1' },
  { resource: Thing },
  { resource: Thing, labelSelector: '!app' },
  { resource: Thing, namespaces: ['n1', 'n2'] },
  { resource: Thing, ignoreOwn: true },
  { resource: Thing, namespaces: ['n2'], ignoreOwn: true },
  { resource: Part, resync: RESYNC_MS },
];

/** The forms of controllers. Those with watches alone know the reasons of all their runs. */
const shapes = ['owner', 'watches', 'watches', 'selector', 'namespaces', 'own', 'own'] as const;

/** Chooses the form of a controller. */
export function shapeOf(n: number): (typeof shapes)[number] {
  return pick(shapes, n) ?? 'watches';
}

/** The namespaces of a controller, if it has its own. */
export function namespacesOf(n: number): readonly string[] | undefined {
  if (shapeOf(n) !== 'namespaces') return undefined;
  return n % 2 === 0 ? ['n1'] : ['n1', 'n2'];
}

/** Returns the options of a controller. */
export function setUp(simulated: SimulatedController, n: number): ControllerOptions<Item> {
  const { name, reconcile } = simulated;
  const settings = {
    name,
    reconcile,
    concurrency: 1 + (n % 4),
    timeout: n % 2 === 0 ? 5_000 : 0,
    // Some delay the second event of an object, for less than the time that passes after the faults.
    ...(n % 3 === 0 && { eventRate: { burst: 1, perSecond: 0.01 } }),
  };
  const watch = (query: WatchedQuery): WatchOptions => watchOf(simulated, query);
  const primary = (query: WatchedQuery): ReturnType<typeof sourceOf> =>
    sourceOf(simulated, simulated.addSource('for', query));
  switch (shapeOf(n)) {
    case 'owner':
      return {
        ...settings,
        for: primary({ resource: Thing }),
        owns: [sourceOf(simulated, simulated.addSource('owns', { resource: Part }))],
        watches: [watch({ resource: Setting })],
      };
    case 'watches':
      return { ...settings, watches: [watch({ resource: Setting }), watch({ resource: Part })] };
    case 'selector':
      return {
        ...settings,
        for: primary({ resource: Thing, labelSelector: 'app' }),
        watches: [watch({ resource: Setting, namespace: 'n1' })],
      };
    case 'namespaces': {
      const namespaces = namespacesOf(n) ?? [];
      const watches = [watch({ resource: Setting }), watch({ resource: Part, namespace: 'n2' })];
      return { ...settings, namespaces, watches };
    }
    case 'own':
      return {
        ...settings,
        watches: [watch({ resource: Thing, ignoreOwn: true }), watch({ resource: Setting })],
      };
  }
}

/** Returns the options of a watch, whose mapper records that it requested a run. */
export function watchOf(simulated: SimulatedController, query: WatchedQuery): WatchOptions {
  return optionsOf(simulated, simulated.addSource(`watch ${simulated.sources.length + 1}`, query));
}

/** Returns the options of a source. */
export function optionsOf(simulated: SimulatedController, source: WatchedSource): WatchOptions {
  return {
    ...sourceOf(simulated, source),
    map: (view: ObjectView) => map(simulated, source, view),
  };
}

type SourceOf = Omit<WatchOptions<Item, Request, 'full'>, 'map' | 'clusters'>;

/** Returns the options of a source without its mapper. */
function sourceOf(simulated: SimulatedController, source: WatchedSource): SourceOf {
  const { resource, ...query } = source.query;
  const events = simulated.eventsOf(source);
  const predicate = (event: InformerEvent<Item>): boolean => {
    events.take(event);
    return true;
  };
  const namespaces =
    query.namespaces === undefined ? {} : { namespaces: source.namespaces?.present };
  return { resource, ...query, ...namespaces, predicates: [predicate] } as SourceOf;
}

function map(
  simulated: SimulatedController,
  source: WatchedSource,
  { namespace = '', name, kind, metadata }: ObjectView,
): Request | undefined {
  simulated.mapped(source);
  const target = metadata.annotations?.['target'];
  const mapped = kind === Thing.kind ? name : target;
  const reason = source.reasonIn(namespace);
  if (mapped === undefined || reason === undefined) return undefined;
  const request = { namespace, name: mapped };
  simulated.reasons.add(keyOf(request), reason);
  return request;
}
