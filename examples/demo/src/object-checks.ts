import {
  builtin,
  isControlledBy,
  type Client,
  type DeepReadonly,
  type ObjectOf,
  type Persisted,
} from '@keelson/manager';
import type { Check } from './check.ts';
import { isUpToDate } from './desired-objects.ts';
import { Shop } from './shop.ts';

type Owned = Persisted<ObjectOf<typeof builtin.Deployment> | ObjectOf<typeof builtin.Service>>;

/** Compares the objects on the server with the expected ones, without a cache. */
export async function checkObjects(
  client: Client,
  namespace: string,
  names: ReadonlySet<string>,
): Promise<Check[]> {
  const shops = await all(client.items(Shop, { namespace }));
  const deployments = await all(client.items(builtin.Deployment, { namespace }));
  const services = await all(client.items(builtin.Service, { namespace }));
  const expected = String(names.size);
  return [
    { what: 'Shops on the server', expected, actual: String(shops.length) },
    shareCheck('Shops that should exist', count(shops, isNamed(names)), names.size),
    shareCheck('Shops whose status is Open', count(shops, isOpen), names.size),
    ownedCheck('Deployments', deployments, shops),
    ownedCheck('Services', services, shops),
  ];
}

/** Every shop has one object of its generation, and no other objects exist. */
function ownedCheck(
  kind: string,
  owned: readonly Owned[],
  shops: readonly Persisted<Shop>[],
): Check {
  const byName = new Map(owned.map((object) => [object.metadata.name, object]));
  const right = shops.filter((shop) => {
    const object = byName.get(shop.metadata.name);
    return object !== undefined && isControlledBy(object, shop) && isUpToDate(object, shop);
  });
  return {
    what: `${kind} that match their Shop`,
    expected: matching(shops.length, shops.length, 0),
    actual: matching(right.length, shops.length, owned.length - right.length),
  };
}

function matching(right: number, shops: number, others: number): string {
  return `${right} of ${shops}; ${others === 0 ? 'no' : others} other ${others === 1 ? 'one' : 'ones'}`;
}

function shareCheck(what: string, actual: number, expected: number): Check {
  return { what, expected: `${expected} of ${expected}`, actual: `${actual} of ${expected}` };
}

function isNamed(names: ReadonlySet<string>): (shop: Persisted<Shop>) => boolean {
  return ({ metadata }) => names.has(metadata.name);
}

/** Open at the newest generation, according to its status. */
export function isOpen({ metadata, status }: DeepReadonly<Persisted<Shop>>): boolean {
  return status?.phase === 'Open' && status.observedGeneration === metadata.generation;
}

function count(
  shops: readonly Persisted<Shop>[],
  matches: (shop: Persisted<Shop>) => boolean,
): number {
  return shops.filter(matches).length;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
