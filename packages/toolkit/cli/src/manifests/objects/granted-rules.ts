import type { ClusterRole, PolicyRule, Role } from '@keelson/envtest';

/**
 * True if roles grant every rule, if only for some names: the roles of an operator name its own Lease. A rule with names
 * grants no `create`, because the API server does not know the name of a new object.
 */
export function isGranted(
  wanted: readonly PolicyRule[],
  roles: readonly (ClusterRole | Role)[],
): boolean {
  const granted = roles.flatMap(({ rules }) => rules ?? []);
  return wanted.every(({ apiGroups = [], resources = [], verbs }) =>
    verbs.every((verb) =>
      granted.some(
        (rule) =>
          (rule.resourceNames === undefined || verb !== 'create') &&
          includesAll(rule.verbs, [verb]) &&
          includesAll(rule.apiGroups, apiGroups) &&
          includesAll(rule.resources, resources),
      ),
    ),
  );
}

function includesAll(granted: readonly string[] = [], wanted: readonly string[]): boolean {
  return granted.includes('*') || wanted.every((one) => granted.includes(one));
}
