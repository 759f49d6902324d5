import type { KubernetesObject } from '@keelson/apimachinery';
import type { ClusterRole, PolicyRule } from '@keelson/envtest';
import { join } from 'node:path';
import { isGranted } from '../../manifests/objects/granted-rules.ts';
import { RoleFile } from '../../rbac/role-file.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import type { ProjectKind } from '../kinds/project-kinds.ts';

/** Adds the rules that a new controller needs to the roles of `rolesWithKind`. */
export async function grantRules(draft: ProjectDraft, kind: ProjectKind): Promise<void> {
  const { folder, roles: path } = draft.project;
  const text = await draft.find(path);
  // A folder of roles, or none, is kept by hand.
  if (text === undefined) return;
  const file = await RoleFile.parse(join(folder, path), text);
  const roles = rolesWithKind(file.roles, kind);
  if (roles.every((role, at) => role === file.roles[at])) return;
  draft.replace(path, await file.textWith(roles));
}

/**
 * Returns the roles with the rules for a kind. They are added to each role that has such rules for another kind: an operator of some
 * namespaces has a Role in each of them, beside a ClusterRole for other resources. Without such a role they are added to the first
 * ClusterRole, or else to the first role. A Role cannot grant a kind without namespaces.
 */
export function rolesWithKind(
  roles: readonly KubernetesObject[],
  kind: Pick<ProjectKind, 'group' | 'plural' | 'scope'>,
): readonly KubernetesObject[] {
  const usable = roles.filter((role) => kind.scope !== 'Cluster' || role.kind === 'ClusterRole');
  const reconciling = usable.filter(reconcilesKind);
  const first = usable.find((role) => role.kind === 'ClusterRole') ?? usable[0];
  const targets = reconciling.length > 0 ? reconciling : [first];
  return roles.map((role) => {
    if (!targets.includes(role)) return role;
    const missing = rulesOf(kind).filter((rule) => !isGranted([rule], [role as ClusterRole]));
    return missing.length === 0 ? role : withRules(role, missing);
  });
}

/** True if a role grants the rules of `rulesOf` for any kind. */
function reconcilesKind(role: KubernetesObject): boolean {
  const { rules = [] } = role as ClusterRole;
  return rules.some(({ apiGroups = [], resources = [] }) =>
    resources
      .filter((resource) => resource.endsWith('/status'))
      .map((resource) => resource.slice(0, -'/status'.length))
      .some((plural) => apiGroups.some((group) => isGranted(rulesOf({ group, plural }), [role]))),
  );
}

function rulesOf({ group, plural }: Pick<ProjectKind, 'group' | 'plural'>): readonly PolicyRule[] {
  return [
    { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch'] },
  ];
}

/** In the order of `keelson rbac`: by group, then by resource. */
function withRules(role: KubernetesObject, more: readonly PolicyRule[]): KubernetesObject {
  const { rules = [] } = role as ClusterRole;
  const all = [...rules, ...more].toSorted((one, other) => {
    const [left, right] = [orderOf(one), orderOf(other)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  });
  return { ...role, rules: all } as KubernetesObject;
}

function orderOf({ apiGroups = [], resources = [] }: PolicyRule): string {
  return `${apiGroups.join(' ')}\n${resources.join(' ')}`;
}
