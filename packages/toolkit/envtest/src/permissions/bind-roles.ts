import type { builtin, ObjectOf } from '@keelson/apimachinery';
import type { ObservedRules } from './observed-rules.ts';

/** The bindings of roles. */
export interface RoleBindings {
  readonly clusterRoleBindings: readonly ObjectOf<typeof builtin.ClusterRoleBinding>[];
  readonly roleBindings: readonly ObjectOf<typeof builtin.RoleBinding>[];
}

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

/**
 * Makes the bindings that grant roles to a service account: a ClusterRoleBinding for each ClusterRole and a RoleBinding
 * for each Role, with the names of the roles.
 */
export function bindRoles(
  { clusterRoles, roles }: ObservedRules,
  account: { readonly namespace: string; readonly name: string },
): RoleBindings {
  const { namespace, name } = account;
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  return {
    clusterRoleBindings: clusterRoles.map(({ metadata: { name: role = '' } = {} }) => {
      const roleRef = { apiGroup, kind: 'ClusterRole', name: role };
      return {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name: role },
        roleRef,
        subjects,
      };
    }),
    roleBindings: roles.map(({ metadata: { name: role = '', namespace: place = '' } = {} }) => {
      const roleRef = { apiGroup, kind: 'Role', name: role };
      const metadata = { name: role, namespace: place };
      return { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
    }),
  };
}
