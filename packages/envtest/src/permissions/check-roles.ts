import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';
import { wrongMemberOf } from './check-rule.ts';
import { compareRoles } from './compare-roles.ts';
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

/** Compares the roles of a project with the accesses of a user. Throws `ROLES_DIFFER`. */
export async function checkRoles(
  observer: Observer,
  { user, roles }: { readonly user: string; readonly roles: RolesSource | readonly RolesSource[] },
  options: CheckRolesOptions,
): Promise<void> {
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
  const found = await readRoles(roles, namespace);
  const all = [...found.clusterRoles, ...found.roles];
  const { missing, excess } = compareRoles(all, { ...permissions, mayExceed });
  if (missing.length === 0 && excess.length === 0) return;
  throw new EnvtestError('ROLES_DIFFER', {
    user,
    missing: listed(missing),
    excess: listed(excess),
  });
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? 'none' : `\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
