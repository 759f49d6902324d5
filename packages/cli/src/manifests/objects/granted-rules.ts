import type { ClusterRole, PolicyRule, Role } from '@keelson/envtest';

/** True if roles grant every rule for all names. */
export function isGranted(
  wanted: readonly PolicyRule[],
  roles: readonly (ClusterRole | Role)[],
): boolean {
  const granted = roles.flatMap(({ rules }) => rules ?? []);
  return wanted.every(({ apiGroups = [], resources = [], verbs }) =>
    verbs.every((verb) =>
      granted.some(
        (rule) =>
          rule.resourceNames === undefined &&
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
