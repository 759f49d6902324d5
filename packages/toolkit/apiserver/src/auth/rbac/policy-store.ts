import type { ResourceRegistry } from '../../resources/resource-registry.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { keyOfMetadata, type StoredObject } from '../../storage/stored-object.ts';
import type { RoleBinding } from './rbac-authorizer.ts';
import type { PolicyStore, RoleObject } from './rbac-source.ts';

type Plural = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';

/** Reads the stored roles and bindings; parses each version once. */
export function policyStore(registry: ResourceRegistry): PolicyStore {
  const parsed = new WeakMap<StoredObject, object>();
  const resourceOf = (plural: Plural): ServedResource => {
    const group = 'rbac.authorization.k8s.io';
    const resource = registry.find({ group, version: 'v1', plural });
    if (resource === undefined) throw new Error(`${plural} are not served`);
    return resource;
  };
  const read = (stored: StoredObject): object => {
    const known = parsed.get(stored);
    if (known !== undefined) return known;
    const object = stored.parse();
    parsed.set(stored, object);
    return object;
  };
  const all = (plural: Plural): StoredObject[] => [...resourceOf(plural).store.values()];
  return {
    role(plural, namespace, name) {
      const stored = resourceOf(plural).store.get(keyOfMetadata({ namespace, name }));
      return stored && read(stored);
    },
    clusterRoles: () => all('clusterroles').map((stored) => read(stored) as RoleObject),
    bindings: (plural, namespace) =>
      all(plural)
        .filter(({ metadata }) => namespace === '' || metadata.namespace === namespace)
        .map((stored) => read(stored) as RoleBinding),
  };
}
