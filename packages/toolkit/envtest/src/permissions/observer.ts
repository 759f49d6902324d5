import { checkOptions, invalidOption } from '@keelson/apimachinery';
import type { ObservedAccess, ObservedAccesses } from '@keelson/apiserver';
import { EnvtestError } from '../errors.ts';
import { observedPermissions, type ObservedPermissions } from './observed-permissions.ts';
import {
  roleNameOf,
  rolesOf,
  type ObservedRules,
  type ObservedRulesOptions,
} from './observed-rules.ts';

/** The record of a server of the accesses that its users needed. */
export interface AccessSource {
  readonly observedUsers: readonly string[];
  observedAccesses(user: string): ObservedAccesses | undefined;
}

export const observedRulesOptions: readonly (keyof ObservedRulesOptions)[] = [
  'name',
  'namespaces',
  'ownNamespaces',
  'fixedNames',
  'sources',
  'refused',
];

/** Makes roles from the record of a server. */
export class Observer {
  readonly #kind: string;
  readonly #source: AccessSource | undefined;

  /** `source` is undefined for the kinds of environments that do not record accesses. */
  constructor(kind: string, source: AccessSource | undefined) {
    this.#kind = kind;
    this.#source = source;
  }

  /** Throws `OBSERVATION_NOT_SUPPORTED`, `USER_NOT_OBSERVED`, `OBSERVATION_INCOMPLETE`, `INVALID_OPTION`. */
  rules(user: string, options: ObservedRulesOptions): ObservedRules {
    const { permissions } = this.permissions(user, options);
    return rolesOf(permissions, options.name ?? roleNameOf(user));
  }

  /** Throws as `rules`. */
  permissions(
    user: string,
    options: ObservedRulesOptions,
    where: string = 'observedRules',
  ): ObservedPermissions {
    check(options, where);
    return observedPermissions(this.#accessesOf(user), options);
  }

  #accessesOf(user: string): readonly ObservedAccess[] {
    if (this.#source === undefined) {
      throw new EnvtestError('OBSERVATION_NOT_SUPPORTED', { kind: this.#kind });
    }
    const found = this.#source.observedAccesses(user);
    if (found === undefined) {
      const users = this.#source.observedUsers.join(' ');
      throw new EnvtestError('USER_NOT_OBSERVED', { user, users });
    }
    if (!found.isComplete) throw new EnvtestError('OBSERVATION_INCOMPLETE', { user });
    return found.accesses;
  }
}

function check(options: ObservedRulesOptions, where: string): void {
  checkOptions(options, observedRulesOptions, where);
  const { namespaces = 'auto', refused = 'include' } = options;
  if (!['auto', 'exact', 'any'].includes(namespaces)) {
    throw invalidOption(`${where}.namespaces`, 'must be auto, exact or any');
  }
  if (!['include', 'omit'].includes(refused)) {
    throw invalidOption(`${where}.refused`, 'must be include or omit');
  }
  for (const name of ['ownNamespaces', 'fixedNames', 'sources'] as const) {
    const value: unknown = options[name];
    if (value === undefined || Array.isArray(value)) continue;
    throw invalidOption(`${where}.${name}`, 'must be an array');
  }
  for (const name of ['fixedNames', 'sources'] as const) {
    for (const [index, given] of (options[name] ?? []).entries()) {
      checkResource(given, `${where}.${name}[${index}]`);
    }
  }
  for (const [index, { names }] of (options.fixedNames ?? []).entries()) {
    if (Array.isArray(names)) continue;
    throw invalidOption(`${where}.fixedNames[${index}].names`, 'must be an array');
  }
}

function checkResource(given: unknown, option: string): void {
  const { resource } = (given ?? {}) as { resource?: { group?: unknown; plural?: unknown } | null };
  if (typeof resource?.group === 'string' && typeof resource.plural === 'string') return;
  throw invalidOption(`${option}.resource`, 'must be a resource token');
}
