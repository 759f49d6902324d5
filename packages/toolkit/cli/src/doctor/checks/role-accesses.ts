import type { ObservedRules, PolicyRule } from '@keelson/envtest';
import { isClusterScoped } from '../../manifests/objects/cluster-part.ts';
import type { Definition } from '../../manifests/operator/operator-sources.ts';

/** The attributes of a review, with the names of the API. */
export type Access = ResourceAccess | PathAccess;

interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Empty: all names. */
  readonly name: string;
}

interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/** The namespaces in which a limited operator has the rules of its ClusterRoles. */
export interface AccessScope {
  /** None for all namespaces. */
  readonly namespaces: readonly string[];
  /** The definitions of the project, which say which of its kinds are cluster-scoped. */
  readonly definitions: readonly Definition[];
}

/**
 * Returns each access that roles grant, once. Roles grant in their namespaces, ClusterRoles in those of the scope, and access to
 * cluster-scoped resources in the cluster.
 */
export function accessesOf(
  { clusterRoles, roles }: ObservedRules,
  scope: AccessScope = { namespaces: [], definitions: [] },
): readonly Access[] {
  const accesses = [
    ...clusterRoles
      .flatMap(({ rules }) => accessesOfRules(rules ?? [], ''))
      .flatMap((access) => inScope(access, scope)),
    ...roles.flatMap(({ metadata, rules }) =>
      accessesOfRules(rules ?? [], metadata?.namespace ?? ''),
    ),
  ];
  return [...new Map(accesses.map((access) => [JSON.stringify(access), access])).values()];
}

function inScope(access: Access, { namespaces, definitions }: AccessScope): readonly Access[] {
  if (namespaces.length === 0 || 'path' in access) return [access];
  if (isClusterScoped(access.group, access.resource, definitions)) return [access];
  return namespaces.map((namespace) => ({ ...access, namespace }));
}

/** The resource as kubectl prints it, with its namespace and name. */
export function nameOf(access: Access): string {
  if ('path' in access) return access.path;
  const { group, resource, subresource, namespace, name } = access;
  const path = [group === '' ? resource : `${resource}.${group}`, subresource, name && `"${name}"`];
  const where = namespace === '' ? '' : ` in ${namespace}`;
  return path.filter(Boolean).join('/') + where;
}

function accessesOfRules(rules: readonly PolicyRule[], namespace: string): readonly Access[] {
  return rules.flatMap((rule) => [
    ...(rule.nonResourceURLs ?? []).flatMap((path) => rule.verbs.map((verb) => ({ verb, path }))),
    ...resourceAccesses(rule, namespace),
  ]);
}

function resourceAccesses(
  { apiGroups = [], resources = [], resourceNames = [], verbs }: PolicyRule,
  namespace: string,
): readonly ResourceAccess[] {
  const names = resourceNames.length === 0 ? [''] : resourceNames;
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = '', subresource = ''] = path.split('/', 2);
      return names.flatMap((name) =>
        verbs.map((verb) => ({ verb, group, resource, subresource, namespace, name })),
      );
    }),
  );
}
