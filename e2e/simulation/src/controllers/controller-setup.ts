import type { ControllerOptions, Request, WatchOptions } from '@keelson/manager';
import type { ObjectView } from '@keelson/informer';
import { pick } from '../server/pick.ts';
import { Part, Setting, Thing, type Item } from '../server/kind.ts';
import type { SimulatedController } from './simulated-controller.ts';
import { keyOf, WatchedSource, type WatchedQuery } from './watched-source.ts';

/** The queries of watches that are added at run time. Each maps some objects to the same requests as another. */
export const addedQueries: readonly WatchedQuery[] = [
  { resource: Setting },
  { resource: Setting, namespace: 'n1' },
  { resource: Setting, labelSelector: 'app=x' },
  { resource: Setting, labelSelector: 'app' },
  { resource: Part, namespace: 'n1' },
  { resource: Part, labelSelector: 'app in (x,y)' },
  { resource: Part },
  { resource: Thing, labelSelector: 'app=x' },
  { resource: Thing, namespace: 'n1' },
  { resource: Thing },
  { resource: Thing, labelSelector: '!app' },
];

/** Chooses the form of a controller: 1 has watches alone, so that the reasons of all its runs are known. */
export function shapeOf(n: number): number {
  return pick([0, 1, 1, 2], n) ?? 1;
}

/** Returns the options of a controller: with `for` and `owns`, with watches alone, or with a selector. */
export function setUp(simulated: SimulatedController, n: number): ControllerOptions<Item> {
  const { name, reconcile } = simulated;
  const settings = {
    name,
    reconcile,
    concurrency: 1 + (n % 4),
    timeout: n % 2 === 0 ? 5_000 : 0,
  };
  const watch = (query: WatchedQuery): WatchOptions => watchOf(simulated, query);
  const forms = [
    () => {
      const primary = { resource: Thing };
      simulated.sources.push(new WatchedSource('for', primary));
      simulated.sources.push(new WatchedSource('owns', { resource: Part }));
      return { ...settings, for: primary, owns: [Part], watches: [watch({ resource: Setting })] };
    },
    () => ({ ...settings, watches: [watch({ resource: Setting }), watch({ resource: Part })] }),
    () => {
      const primary = { resource: Thing, labelSelector: 'app' };
      simulated.sources.push(new WatchedSource('for', primary));
      return {
        ...settings,
        for: primary,
        watches: [watch({ resource: Setting, namespace: 'n1' })],
      };
    },
  ];
  const form = forms[shapeOf(n)] ?? forms[0];
  if (form === undefined) throw new Error('a controller has no form');
  return form();
}

/** Returns the options of a watch, whose mapper records that it requested a run. */
export function watchOf(simulated: SimulatedController, query: WatchedQuery): WatchOptions {
  const source = new WatchedSource(`watch ${simulated.sources.length + 1}`, query);
  simulated.sources.push(source);
  return optionsOf(simulated, source);
}

/** Returns the options of a source. */
export function optionsOf(simulated: SimulatedController, source: WatchedSource): WatchOptions {
  const { resource, namespace, labelSelector } = source.query;
  return {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    map: (view: ObjectView) => map(simulated, source, view),
  };
}

function map(
  simulated: SimulatedController,
  source: WatchedSource,
  { namespace = '', name, kind, metadata }: ObjectView,
): Request | undefined {
  simulated.mapped(source);
  const target = metadata.annotations?.['target'];
  const mapped = kind === Thing.kind ? name : target;
  if (mapped === undefined) return undefined;
  const request = { namespace, name: mapped };
  simulated.reasons.add(keyOf(request), source.name);
  return request;
}
