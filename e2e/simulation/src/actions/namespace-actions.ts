import type { SimulatedController } from '../controllers/simulated-controller.ts';
import { namespaces } from '../server/kind.ts';
import { pick } from '../server/pick.ts';
import type { Actions } from './action.ts';

const sets = [['n1'], ['n2'], [...namespaces]] as const;

/** Changes of the sets of namespaces of controllers and watches. */
export const namespaceActions: Actions = {
  'set namespaces of a controller': ({ managed }, n) => {
    const withSets = managed?.live.filter((controller) => controller.namespaces !== undefined);
    const controller = pick(withSets ?? [], n);
    const present = controller?.namespaces;
    if (managed === undefined || controller === undefined || present === undefined)
      return undefined;
    const next = pick(sets, Math.floor(n / 7)) ?? sets[0];
    const sources = controller.sources.filter((source) => source.namespaces === present);
    const change = (): Promise<void> => controller.controller.setNamespaces(next);
    managed.track(controller.setNamespaces(sources, present, { next, change }));
    return `${controller.name}: ${next.join(', ')}`;
  },
  'set namespaces of a watch': ({ managed }, n) => {
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
    return `${controller.name}: ${source.name}: ${next.join(', ')}`;
  },
};

/** The watches with a set of their own. */
function ownSets({ watches }: SimulatedController): SimulatedController['watches'] {
  return watches.filter(({ source }) => source.query.namespaces !== undefined);
}
