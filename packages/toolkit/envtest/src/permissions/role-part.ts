import type { KubernetesObject } from '@keelson/apimachinery';
import { mergeRules } from './merge-rules.ts';
import type { Permission, PolicyRule } from './permission.ts';

/** A Role or ClusterRole of a file or a test. */
export interface CheckedInRole extends KubernetesObject {
  readonly rules?: readonly PolicyRule[] | null;
}

/** One verb on one resource that a role grants. */
export interface Part extends Pick<Permission, 'verb' | 'group' | 'resource' | 'path'> {
  /** The only name; `""`: any name. */
  readonly name: string;
  /** The namespace of a Role; `""` for a ClusterRole. */
  readonly namespace: string;
}

/** The parts of a role; a Role has its namespace. */
export function partsOfRole({ kind, metadata, rules }: CheckedInRole): Part[] {
  const namespace = kind === 'Role' ? (metadata?.namespace ?? '') : '';
  return (rules ?? []).flatMap((rule) => partsOf(rule, namespace));
}

/** The parts of a rule, with its wildcards. */
export function partsOf(rule: PolicyRule, namespace: string): Part[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [''] : resourceNames;
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) => names.map((name) => ({ group, resource, name, path: '' }))),
  );
  const ofPaths = nonResourceURLs.map((path) => ({ group: '', resource: '', name: '', path }));
  return [...ofResources, ...ofPaths].flatMap((target) =>
    verbs.map((verb) => ({ ...target, verb, namespace })),
  );
}

/** True if the roles grant a permission: without a name, or for each name that was used. */
export function isHeld(permission: Permission, held: readonly Part[]): boolean {
  const { usedNames = [''] } = permission;
  return usedNames.every((name) =>
    held.some(
      (part) =>
        (part.namespace === '' || part.namespace === permission.namespace) &&
        covers(part, permission, name),
    ),
  );
}

type Target = Pick<Permission, 'verb' | 'group' | 'resource' | 'path'>;

/** True if a part grants a verb on a name, wildcards included, as the RBAC authorizer of kube-apiserver decides. */
export function covers(part: Part, wanted: Target, name: string): boolean {
  if (part.verb !== '*' && part.verb !== wanted.verb) return false;
  if (wanted.path !== '') return coversPath(part.path, wanted.path);
  return (
    part.path === '' &&
    (part.group === '*' || part.group === wanted.group) &&
    coversResource(part.resource, wanted.resource) &&
    (part.name === '' || part.name === name)
  );
}

function coversResource(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true;
  return held.startsWith('*/') && wanted.endsWith(held.slice(1));
}

function coversPath(held: string, wanted: string): boolean {
  return held === wanted || (held.endsWith('*') && wanted.startsWith(held.slice(0, -1)));
}

/**
 * True if a permission needs exactly this part. A part with a wildcard is used only by a permission with the same
 * wildcard, because the requests of a test cannot show that it grants no more than needed.
 */
export function uses(permission: Permission, part: Part, isEverywhere: boolean): boolean {
  const { names, usedNames } = permission;
  const isSame =
    permission.verb === part.verb &&
    permission.group === part.group &&
    permission.resource === part.resource &&
    permission.path === part.path;
  if (!isSame || !isInScope(permission, part, isEverywhere)) return false;
  if (part.name === '') return names === undefined;
  return usedNames?.includes(part.name) ?? false;
}

/**
 * A Role may repeat what the ClusterRole grants. A ClusterRole may grant what a Role would suffice for only if bindings
 * in namespaces can limit it.
 */
function isInScope({ namespace, need }: Permission, part: Part, isEverywhere: boolean): boolean {
  if (need === 'default' || namespace === part.namespace || namespace === '') return true;
  return part.namespace === '' && !isEverywhere;
}

/** The rules that grant exactly these parts of one scope. */
export function rulesOf(parts: readonly Part[]): PolicyRule[] {
  return mergeRules(
    parts.map(({ name, ...part }) => ({ ...part, names: name === '' ? undefined : [name] })),
  );
}
