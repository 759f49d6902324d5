import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';
import { wrongMemberOf } from './check-rule.ts';
import { compareRoles, type CompareOptions } from './compare-roles.ts';
import { observedRulesOptions, type Observer } from './observer.ts';
import type { ObservedRulesOptions } from './observed-rules.ts';
import type { PolicyRule } from './permission.ts';
import { readRoles, type RolesSource } from './read-roles.ts';

/** The rules that checked-in roles may have, and how requests become permissions. */
export interface CheckRolesOptions extends Omit<ObservedRulesOptions, 'name'> {
  /**
   * Rules that the roles may have although the user did not need them: permissions for cases that the test does not
   * reach, and wildcards. A rule here tolerates all narrower rules. Default none.
   */
  readonly mayExceed?: readonly PolicyRule[];
  /** The namespace of Roles that name none. Default `default`. */
  readonly namespace?: string;
}

const known = [
  ...observedRulesOptions.filter((name) => name !== 'name'),
  'mayExceed',
  'namespace',
] as const;

/** The permissions that a role has to grant to a user, and the rules that it may grant. */
export interface NeededPermissions extends CompareOptions {
  readonly user: string;
  /** The namespace of Roles that name none. */
  readonly namespace: string | undefined;
}

/** Returns what a user needed. Throws the errors of `observedRules`. */
export function neededPermissions(
  observer: Observer,
  user: string,
  options: CheckRolesOptions,
): NeededPermissions {
  checkOptions(options, known, 'checkRoles');
  const { mayExceed = [], namespace, ...observation } = options;
  if (!Array.isArray(mayExceed)) throw invalidOption('checkRoles.mayExceed', 'must be an array');
  for (const [index, rule] of (mayExceed as readonly unknown[]).entries()) {
    const wrong = wrongMemberOf(rule);
    if (wrong === undefined) continue;
    throw invalidOption(`checkRoles.mayExceed[${index}]${wrong}`, 'must be a rule of a role');
  }
  if (namespace !== undefined && typeof namespace !== 'string') {
    throw invalidOption('checkRoles.namespace', 'must be a string');
  }
  const permissions = observer.permissions(user, observation, 'checkRoles');
  return { user, namespace, mayExceed, ...permissions };
}

/** Compares the roles of a project with what a user needed. Throws `ROLES_DIFFER` and `ROLES_NOT_FOUND`. */
export async function checkRoles(
  roles: RolesSource | readonly RolesSource[],
  needed: NeededPermissions,
): Promise<void> {
  const found = await readRoles(roles, needed.namespace);
  const all = [...found.clusterRoles, ...found.roles];
  const { missing, excess } = compareRoles(all, needed);
  if (missing.length === 0 && excess.length === 0) return;
  throw new EnvtestError('ROLES_DIFFER', {
    user: needed.user,
    missing: listed(missing),
    excess: listed(excess),
  });
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? 'none' : `\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
