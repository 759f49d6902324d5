import { apiVersionOf } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';

/** Identifies a built-in resource. */
export interface StoredResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The store of a built-in resource. Throws if the server does not serve the resource. */
export function storeOf(registry: ResourceRegistry, name: StoredResourceName): ResourceStore {
  const resource = registry.find(name);
  if (resource === undefined)
    throw new Error(`${apiVersionOf(name)} ${name.plural} are not served`);
  return resource.store;
}

/** The objects of one namespace, sorted by name. */
export function objectsIn(store: ResourceStore, namespace: string | undefined): ApiObject[] {
  if (store.size === 0) return [];
  const found = [...store.values()].filter(({ metadata }) => metadata.namespace === namespace);
  return found
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map((stored) => stored.parse());
}
