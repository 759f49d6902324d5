import { addedQueries, optionsOf, watchOf } from '../controllers/controller-setup.ts';
import type { ManagedWorld } from '../controllers/managed-world.ts';
import type { SimulatedController } from '../controllers/simulated-controller.ts';
import { OWN } from '../controllers/request-reasons.ts';
import { keyOf } from '../controllers/watched-source.ts';
import { names, namespaces } from '../server/kind.ts';
import { seeded } from '../run/seeded.ts';
import { pick } from '../server/pick.ts';
import type { Action, Actions } from './action.ts';

/** More sources than a list of causes keeps. */
const MANY_WATCHES = 9;

/** Actions on a manager and its controllers. */
export const controllerActions: Actions = {
  'start manager': ({ managed }) => (managed?.start() === true ? 'starts' : undefined),
  'add controller': ({ managed }, n) => {
    const added = managed?.add(`c${n % 3}`, n, seeded(n));
    return added && `${added.name} with ${added.sources.map(({ name }) => name).join(', ')}`;
  },
  'stop controller': onController((controller, _n, managed) => {
    managed.track(controller.stop());
    return controller.name;
  }),
  watch: onController((controller, n) => watch(controller, n)),
  'watch often': onController((controller, n) => {
    for (let at = 0; at < MANY_WATCHES; at++) watch(controller, n);
    return `${controller.name}: ${MANY_WATCHES} times the same`;
  }),
  'remove watch': onController((controller, n, managed) => {
    const added = pick(controller.watches, n);
    if (added === undefined) return undefined;
    managed.track(controller.remove(added));
    return `${controller.name}: ${added.source.name}`;
  }),
  'remove all watches': onController((controller, _n, managed) => {
    const all = [...controller.watches];
    for (const added of all) managed.track(controller.remove(added));
    return `${controller.name}: ${all.length} watches`;
  }),
  'replace watches': onController((controller, n, managed) => {
    const replacing = controller.set.inTurn(async () => {
      if (!controller.isStopped) await replace(controller, n);
    });
    managed.track(replacing);
    return controller.name;
  }),
  enqueue: onController((controller, n) => `${controller.name}: ${enqueue(controller, n)}`),
  'enqueue repeatedly': async ({ managed, clock }, n) => {
    const controller = managed && pick(managed.live, n);
    if (controller === undefined) return undefined;
    for (let at = 0; at < 6 && !controller.isStopped; at++) {
      enqueue(controller, n);
      await clock.pass(20);
    }
    return `${controller.name}: one request, six times`;
  },
  'release runs': onController((controller) => {
    const count = controller.releaseRuns();
    return count === 0 ? undefined : `${controller.name}: ${count} runs`;
  }),
};

/** Acts on a controller that has not stopped. */
function onController(
  act: (controller: SimulatedController, n: number, managed: ManagedWorld) => string | undefined,
): Action {
  return ({ managed }, n) => {
    const controller = managed && pick(managed.live, n);
    return controller && act(controller, Math.floor(n / 3), managed);
  };
}

function enqueue(controller: SimulatedController, n: number): string {
  const namespace = pick(namespaces, n) ?? 'n1';
  const request = { namespace, name: pick(names, n) ?? 'a' };
  controller.reasons.add(keyOf(request), OWN);
  controller.controller.enqueue(request);
  return keyOf(request);
}

function watch(controller: SimulatedController, n: number): string {
  const query = pick(addedQueries, n) ?? { resource: addedQueries[0]!.resource };
  const options = watchOf(controller, query);
  const source = controller.sources.at(-1)!;
  controller.watches.push({ source, watch: controller.controller.watch(options) });
  return `${controller.name}: ${source.name} of ${JSON.stringify(query.resource.plural)}`;
}

/** A set keeps a watch whose namespaces or functions change, so these queries differ in other members. */
const setQueries = addedQueries.filter(
  (query) => !query.namespaces && !query.ignoreOwn && query.resync === undefined,
);

/** Replaces the named set of a controller by some of the queries. */
async function replace(controller: SimulatedController, n: number): Promise<void> {
  const wanted = setQueries.filter((_, at) => ((n >> (at % 8)) & 1) === 1);
  const before = controller.set.sources;
  const kept = before.filter(({ query }) => wanted.includes(query));
  const fresh = wanted
    .filter((query) => !before.some((source) => source.query === query))
    .map((query) => {
      watchOf(controller, query);
      return controller.sources.at(-1)!;
    });
  const gone = before.filter((source) => !kept.includes(source));
  const after = [...kept, ...fresh];
  controller.set.sources = after;
  const replaced = controller.controller.replaceWatches(
    'set',
    after.map((source) => optionsOf(controller, source)) as never,
  );
  // The watches leave at an unknown moment: when those of the new set can be read.
  await replaced;
  for (const source of gone) {
    // A new watch of the kind takes over the requests of objects that it selects, and of deleted ones.
    const hasHeir = fresh.some(({ query }) => query.resource === source.query.resource);
    if (hasHeir) for (const reason of source.reasons) controller.reasons.pass(reason);
    controller.withdrawn(source);
  }
}
