import type { ApiServer } from '@keelson/apiserver';
import { builtin, type ApiResource } from '@keelson/manager';
import type { WatchInventory } from '@keelson/manager/cache';
import { resourceId } from '@keelson/manager/objects';
import type { ReconcileTally } from './reconcile-tally.ts';
import type { ShopOperator } from './shop-operator.ts';
import { Shop } from './shop.ts';
import type { KindRow, Snapshot } from './snapshot.ts';

/** The kinds of the demo: reconciled, owned, and watched for a while. */
export const demoKinds: readonly ApiResource[] = [
  Shop,
  builtin.Deployment,
  builtin.Service,
  builtin.ConfigMap,
];

/** Reads the cache, the controllers, and the embedded server. */
export function takeSnapshot(
  { manager, controllers }: ShopOperator,
  tally: ReconcileTally,
  server: ApiServer | undefined,
): Snapshot {
  const inventory = manager.cache.inventory();
  return {
    kinds: demoKinds.map((resource) => kindRow(resource, inventory, server)),
    controllers: controllers.map(({ name, length, running }) => ({
      name,
      depth: length,
      running,
      reconciles: tally.total(name),
      perSecond: tally.perSecond(name),
    })),
  };
}

function kindRow(
  resource: ApiResource,
  inventory: readonly WatchInventory[],
  server: ApiServer | undefined,
): KindRow {
  const watches = inventory.filter(
    ({ query }) => resourceId(query.resource) === resourceId(resource),
  );
  const sum = (of: (watch: WatchInventory) => number): number =>
    watches.reduce((total, watch) => total + of(watch), 0);
  return {
    kind: resource.kind,
    state: watches.map(({ health }) => health.state).join(' ') || '–',
    handles: sum(({ handles }) => handles.length),
    objects: sum(({ objects }) => objects),
    onTheWire: server?.stats.openWatches(resource),
  };
}
