import type { ApiResource, builtin, ObjectOf } from '@keelson/apimachinery';
import { compareTexts, type Permission } from './permission.ts';
import { mergeRules } from './merge-rules.ts';

/** A typed ClusterRole. */
export type ClusterRole = ObjectOf<typeof builtin.ClusterRole>;
/** A typed Role. */
export type Role = ObjectOf<typeof builtin.Role>;

/** The smallest roles for the requests of a user. */
export interface ObservedRules {
  /** One ClusterRole, or none. */
  readonly clusterRoles: readonly ClusterRole[];
  /** One Role for each namespace that needs one, by namespace. */
  readonly roles: readonly Role[];
}

/** A watch that the user declared, such as `{ resource: builtin.Pod }`; `manager.declaredAccess()` returns them. */
export interface DeclaredSource {
  readonly resource: Pick<ApiResource, 'group' | 'plural'> & { readonly namespaced?: boolean };
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
}

/** Names of objects that are the same in every cluster, such as the Lease of the leader election. */
export interface FixedNames {
  readonly resource: Pick<ApiResource, 'group' | 'plural'>;
  readonly names: readonly string[];
}

/** Which requests `observedRules` considers, and how the roles are named. */
export interface ObservedRulesOptions {
  /** The name of the roles. Default: the name of the user; of a service account, its own name. */
  readonly name?: string;
  /**
   * The roles that grant requests in a namespace. `exact`: a Role of that namespace. `any`: the ClusterRole, because the
   * namespaces of a test are examples. Default `auto`: `any` if the user lists or watches a namespaced kind in all
   * namespaces, else `exact`.
   */
  readonly namespaces?: 'auto' | 'exact' | 'any';
  /**
   * The namespaces that keep a Role with `any`, such as the one that the operator runs in. Default: the namespaces of
   * Leases that the user does not read in all namespaces, for the Leases only.
   */
  readonly ownNamespaces?: readonly string[];
  /** Names to which roles may limit a permission (`resourceNames`). Default none: names of a test are examples. */
  readonly fixedNames?: readonly FixedNames[];
  /** Sources that get `get list watch` also if no request was sent yet. Default none. */
  readonly sources?: readonly DeclaredSource[];
  /**
   * Whether requests count that authorization refused. Default `include`: a role that lacks a permission is completed.
   * `omit` is for tests in which the user tries what it may not do.
   */
  readonly refused?: 'include' | 'omit';
}

const apiVersion = 'rbac.authorization.k8s.io/v1';

/** Makes the roles of permissions. */
export function rolesOf(permissions: readonly Permission[], name: string): ObservedRules {
  const granted = permissions.filter(({ need }) => need !== 'default');
  const rulesIn = (wanted: string): ReturnType<typeof mergeRules> => {
    const own = granted.filter(({ namespace }) => namespace === wanted);
    return mergeRules(wanted === '' ? own : own.filter((each) => !isCovered(each, granted)));
  };
  const found = [...new Set(granted.map(({ namespace }) => namespace))].toSorted(compareTexts);
  const roles = found
    .filter((namespace) => namespace !== '')
    .map((namespace) => ({ namespace, rules: rulesIn(namespace) }))
    .filter(({ rules }) => rules.length > 0)
    .map(({ namespace, rules }): Role => {
      return { apiVersion, kind: 'Role', metadata: { name, namespace }, rules };
    });
  const rules = rulesIn('');
  const clusterRole: ClusterRole = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
  return { clusterRoles: rules.length > 0 ? [clusterRole] : [], roles };
}

/** True if the ClusterRole grants the permission in all namespaces. */
function isCovered(wanted: Permission, granted: readonly Permission[]): boolean {
  return granted.some(
    ({ namespace, verb, group, resource, names }) =>
      namespace === '' &&
      verb === wanted.verb &&
      group === wanted.group &&
      resource === wanted.resource &&
      (names === undefined || wanted.names?.every((name) => names.includes(name)) === true),
  );
}

/** The name of the roles of a user: the last part of a name such as `system:serviceaccount:ops:robot`. */
export function roleNameOf(user: string): string {
  const name = user.split(':').at(-1) ?? '';
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'user';
}
