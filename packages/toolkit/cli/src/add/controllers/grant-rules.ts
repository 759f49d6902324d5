import type { KubernetesObject } from '@keelson/apimachinery';
import type { ClusterRole, PolicyRule } from '@keelson/envtest';
import { join } from 'node:path';
import { isGranted } from '../../manifests/objects/granted-rules.ts';
import { RoleFile } from '../../rbac/role-file.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import type { ProjectKind } from '../kinds/project-kinds.ts';

/** Adds the rules that a new controller needs to the first ClusterRole of the project, or else to the first role. */
export async function grantRules(draft: ProjectDraft, kind: ProjectKind): Promise<void> {
  const { folder, roles: path } = draft.project;
  const text = await draft.find(path);
  // A folder of roles, or none, is kept by hand.
  if (text === undefined) return;
  const file = await RoleFile.parse(join(folder, path), text);
  const target = file.roles.find((role) => role.kind === 'ClusterRole') ?? file.roles[0];
  if (target === undefined) return;
  const missing = rulesOf(kind).filter((rule) => !isGranted([rule], [target as ClusterRole]));
  if (missing.length === 0) return;
  const roles = file.roles.map((role) => (role === target ? withRules(role, missing) : role));
  draft.replace(path, await file.textWith(roles));
}

function rulesOf({ group, plural }: ProjectKind): readonly PolicyRule[] {
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
