import type { SimulatedController } from '../controllers/simulated-controller.ts';
import type { WatchedSource } from '../controllers/watched-source.ts';
import { names, namespaces } from '../server/kind.ts';
import { pick } from '../server/pick.ts';
import type { World } from '../world/world.ts';
import type { Actions } from './action.ts';
import { contentOf } from './server-actions.ts';

const sets = [['n1'], ['n2'], [...namespaces]] as const;

/** Changes of the sets of namespaces of controllers and watches. */
export const namespaceActions: Actions = {
  'set namespaces of a controller': (world, n) => {
    const { managed } = world;
    const withSets = managed?.live.filter((controller) => controller.namespaces !== undefined);
    const controller = pick(withSets ?? [], n);
    const present = controller?.namespaces;
    if (managed === undefined || controller === undefined || present === undefined)
      return undefined;
    const next = pick(sets, Math.floor(n / 7)) ?? sets[0];
    const sources = controller.sources.filter((source) => source.namespaces === present);
    const change = (): Promise<void> => controller.controller.setNamespaces(next);
    managed.track(controller.setNamespaces(sources, present, { next, change }));
    for (const source of sources) writeIn(world, source, n);
    return `${controller.name}: ${next.join(', ')}`;
  },
  'set namespaces of a watch': (world, n) => {
    const { managed } = world;
    const withSets = managed?.live.filter((controller) => ownSets(controller).length > 0);
    const controller = pick(withSets ?? [], n);
    const added = controller && pick(ownSets(controller), Math.floor(n / 3));
    const present = added?.source.namespaces;
    if (managed === undefined || controller === undefined) return undefined;
    if (added === undefined || present === undefined) return undefined;
    const { source, watch } = added;
    const next = pick(sets, Math.floor(n / 7)) ?? sets[0];
    const change = (): Promise<void> => watch.setNamespaces(next);
    managed.track(controller.setNamespaces([source], present, { next, change }));
    writeIn(world, source, n);
    return `${controller.name}: ${source.name}: ${next.join(', ')}`;
  },
};

/** Changes an object of a source, which may be in a namespace that has just left. */
function writeIn({ server }: World, { isLive, query }: WatchedSource, n: number): void {
  if (!isLive) return;
  const namespace = pick(namespaces, n) ?? 'n1';
  const place = { resource: query.resource, namespace, name: pick(names, n) ?? 'a' };
  server.write(place, contentOf(n));
}

/** The watches with a set of their own. */
function ownSets({ watches }: SimulatedController): SimulatedController['watches'] {
  return watches.filter(({ source }) => source.query.namespaces !== undefined);
}
