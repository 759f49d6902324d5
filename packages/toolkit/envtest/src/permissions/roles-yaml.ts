import type { KubernetesObject } from '@keelson/apimachinery';
import type { ObservedRules } from './observed-rules.ts';
import type { RoleBindings } from './bind-roles.ts';

/**
 * Formats roles, and bindings if there are any, as YAML documents: ClusterRoles, Roles, then their bindings. Equal roles
 * give the same text on every machine.
 */
export async function rolesYaml(objects: Partial<ObservedRules & RoleBindings>): Promise<string> {
  const { dump } = await import('js-yaml');
  const { clusterRoles = [], roles = [], clusterRoleBindings = [], roleBindings = [] } = objects;
  const all: KubernetesObject[] = [
    ...clusterRoles,
    ...roles,
    ...clusterRoleBindings,
    ...roleBindings,
  ];
  return all.map((object) => dump(object, { noRefs: true, lineWidth: -1 })).join('---\n');
}
