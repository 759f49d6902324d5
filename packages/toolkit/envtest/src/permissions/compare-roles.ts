import type { ObservedPermissions } from './observed-permissions.ts';
import { isDefaultAccess } from './default-access.ts';
import { mergeRules } from './merge-rules.ts';
import { compareTexts, type Permission, type PolicyRule } from './permission.ts';
import {
  covers,
  isHeld,
  partsOf,
  partsOfRole,
  rulesOf,
  uses,
  type CheckedInRole,
  type Part,
} from './role-part.ts';
import { lineOf, titleOf } from './rule-line.ts';

/** The rules that roles lack or should not have, each as one line. */
export interface RoleDifference {
  readonly missing: readonly string[];
  readonly excess: readonly string[];
}

export interface CompareOptions extends ObservedPermissions {
  /** Rules that a role may have although no request needed them. */
  readonly mayExceed: readonly PolicyRule[];
}

/** Compares roles with the permissions that a user needed. */
export function compareRoles(
  roles: readonly CheckedInRole[],
  options: CompareOptions,
): RoleDifference {
  const held = roles.flatMap((role) => partsOfRole(role));
  const excess = roles.flatMap((role) =>
    rulesOf(excessParts(role, options)).map((rule) => `${titleOf(role)}: ${lineOf(rule)}`),
  );
  return { missing: missingLines(missingPermissions(held, options)), excess };
}

/** The required permissions that the parts of roles do not grant. */
export function missingPermissions(
  held: readonly Part[],
  { permissions }: CompareOptions,
): readonly Permission[] {
  return permissions.filter(
    (permission) => permission.need === 'required' && !isHeld(permission, held),
  );
}

/** The parts of a role that no request needed and that the options do not tolerate. */
export function excessParts(
  role: CheckedInRole,
  { permissions, isEverywhere, mayExceed }: CompareOptions,
): readonly Part[] {
  const tolerated = mayExceed.flatMap((rule) => partsOf(rule, ''));
  return partsOfRole(role)
    .filter((part) => !isDefaultPart(part))
    .filter((part) => !permissions.some((permission) => uses(permission, part, isEverywhere)))
    .filter((part) => !tolerated.some((wide) => covers(wide, part, part.name)));
}

/** True for what every authenticated user has by the default roles of Kubernetes. */
function isDefaultPart({ verb, group, resource, path }: Part): boolean {
  return isDefaultAccess(
    path === '' ? { kind: 'resource', verb, group, resource } : { kind: 'path', verb, path },
  );
}

function missingLines(missing: readonly Permission[]): string[] {
  const namespaces = [...new Set(missing.map(({ namespace }) => namespace))];
  return namespaces.toSorted(compareTexts).flatMap((namespace) => {
    const own = missing.filter((permission) => permission.namespace === namespace);
    const title = namespace === '' ? 'ClusterRole' : `Role in ${namespace}`;
    return mergeRules(own).map((rule) => `${title}: ${lineOf(rule)}`);
  });
}
