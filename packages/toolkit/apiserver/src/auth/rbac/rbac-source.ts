import {
  labelRequirementsOf,
  matchesLabels,
  type KubernetesObject,
  type LabelSelector,
} from '@keelson/apimachinery';
import type { PolicyRule, RbacSource, RoleBinding } from './rbac-authorizer.ts';

/** The members of a Role or ClusterRole that authorization reads. */
export interface RoleObject extends KubernetesObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

/** Reads the stored objects of the rbac group. */
export interface PolicyStore {
  role(plural: 'roles' | 'clusterroles', namespace: string, name: string): RoleObject | undefined;
  clusterRoles(): Iterable<RoleObject>;
  bindings(
    plural: 'rolebindings' | 'clusterrolebindings',
    namespace: string,
  ): Iterable<RoleBinding>;
}

/**
 * Reads the stored roles and bindings. An aggregated ClusterRole immediately has the rules of the roles that it
 * selects; the controller of a real cluster writes them with a delay.
 */
export function rbacSource(
  store: PolicyStore,
  { aggregates = true }: { readonly aggregates?: boolean } = {},
): RbacSource {
  return {
    clusterRoleRules(name) {
      const role = store.role('clusterroles', '', name);
      return role && (aggregates ? rulesOf(role, store) : (role.rules ?? []));
    },
    roleRules(namespace, name) {
      const role = store.role('roles', namespace, name);
      return role && (role.rules ?? []);
    },
    clusterRoleBindings: () => store.bindings('clusterrolebindings', ''),
    roleBindings: (namespace) => store.bindings('rolebindings', namespace),
  };
}

/** Roles may select each other, so each role is visited once. */
function rulesOf(
  role: RoleObject,
  store: PolicyStore,
  visited: ReadonlySet<string | undefined> = new Set(),
): readonly PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return role.rules ?? [];
  const wanted = selectors.map(labelRequirementsOf);
  const seen = new Set(visited).add(role.metadata?.name);
  return [...store.clusterRoles()]
    .filter(({ metadata }) => !seen.has(metadata?.name))
    .filter(({ metadata }) => wanted.some((selector) => matchesLabels(selector, metadata?.labels)))
    .flatMap((candidate) => rulesOf(candidate, store, seen));
}
