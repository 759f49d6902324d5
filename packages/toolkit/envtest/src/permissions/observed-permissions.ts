import type { ObservedAccess, ObservedResourceAccess } from '@keelson/apiserver';
import { isDefaultAccess } from './default-access.ts';
import { equalInNamespaces } from './equal-namespaces.ts';
import { expectedPermissions } from './expected-permissions.ts';
import type { DeclaredSource, ObservedRulesOptions } from './observed-rules.ts';
import type { Permission } from './permission.ts';

/** The permissions of a user, and whether the user works in every namespace. */
export interface ObservedPermissions {
  readonly permissions: readonly Permission[];
  /** True if requests in one namespace are examples of requests in any namespace. */
  readonly isEverywhere: boolean;
}

type Resource = Pick<ObservedResourceAccess, 'group' | 'resource' | 'namespace'>;

const collectionReads = new Set(['list', 'watch']);
/** Without names these verbs grant the permissions of every user or role. */
const keepNames = new Set(['impersonate', 'bind', 'escalate']);

/** The permissions for accesses and declared sources. */
export function observedPermissions(
  accesses: readonly ObservedAccess[],
  options: ObservedRulesOptions,
): ObservedPermissions {
  const wanted = accesses.filter(({ isRefused }) => options.refused !== 'omit' || !isRefused);
  const { sources = [] } = options;
  const isEverywhere = worksEverywhere(wanted, options);
  const scope = new ScopeChoice(wanted, sources, { ...options, isEverywhere });
  const observed = wanted.map((access) => permissionOf(access, scope, options));
  const declared = sources.flatMap((source) => permissionsOf(source, scope));
  const all = [...observed, ...declared];
  const required = equalInNamespaces(all, isEverywhere ? [] : sources, options.ownNamespaces);
  return { permissions: [...required, ...expectedPermissions(required)], isEverywhere };
}

function worksEverywhere(
  accesses: readonly ObservedAccess[],
  { namespaces = 'auto', sources = [] }: ObservedRulesOptions,
): boolean {
  if (namespaces !== 'auto') return namespaces === 'any';
  return (
    accesses.some((access) => access.kind === 'resource' && readsEverywhere(access)) ||
    sources.some(({ resource, namespace }) => resource.namespaced === true && !namespace)
  );
}

function readsEverywhere({ verb, namespace, isNamespaced }: ObservedResourceAccess): boolean {
  return collectionReads.has(verb) && namespace === '' && isNamespaced;
}

/** Chooses between a Role and the ClusterRole. */
class ScopeChoice {
  readonly #isEverywhere: boolean;
  readonly #own: readonly string[] | undefined;
  readonly #readsLeases: boolean;

  constructor(
    accesses: readonly ObservedAccess[],
    sources: readonly DeclaredSource[],
    options: Pick<ObservedRulesOptions, 'ownNamespaces'> & { readonly isEverywhere: boolean },
  ) {
    this.#isEverywhere = options.isEverywhere;
    this.#own = options.ownNamespaces;
    this.#readsLeases =
      accesses.some(
        (access) => access.kind === 'resource' && isLease(access) && readsEverywhere(access),
      ) ||
      sources.some(({ resource: { group, plural }, namespace }) => {
        return isLease({ group, resource: plural }) && !namespace;
      });
  }

  /** The namespace whose Role grants the access; `""` for the ClusterRole. */
  of({ group, resource, namespace }: Resource): string {
    // A Role cannot exist before its namespace does.
    if (group === '' && resource === 'namespaces') return '';
    if (!this.#isEverywhere) return namespace;
    if (this.#own !== undefined) return this.#own.includes(namespace) ? namespace : '';
    return isLease({ group, resource }) && !this.#readsLeases ? namespace : '';
  }
}

function isLease({ group, resource }: Pick<Resource, 'group' | 'resource'>): boolean {
  return group === 'coordination.k8s.io' && resource === 'leases';
}

function permissionOf(
  access: ObservedAccess,
  scope: ScopeChoice,
  options: ObservedRulesOptions,
): Permission {
  const isDefault = isDefaultAccess(access);
  const isOwner = access.cause === 'ownerReference';
  const need = isDefault ? 'default' : isOwner ? 'expected' : 'required';
  const { verb } = access;
  const noNames = { names: undefined, usedNames: undefined };
  if (access.kind === 'path') {
    const { path } = access;
    return { need, verb, path, group: '', resource: '', namespace: '', ...noNames };
  }
  const { group, resource, subresource } = access;
  return {
    need,
    verb,
    group,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    path: '',
    namespace: scope.of(access),
    names: grantedNames(access, options),
    usedNames: usedNames(access),
  };
}

/** The names of an access whose requests all had names. */
function usedNames({ names }: ObservedResourceAccess): readonly string[] | undefined {
  return names === undefined || names.includes('') ? undefined : names;
}

/**
 * The names to which a role limits an access. A test cannot show that the names of its objects suffice, so only names
 * that the user declares count. RBAC cannot limit `create` by name.
 */
function grantedNames(
  access: ObservedResourceAccess,
  { fixedNames = [] }: ObservedRulesOptions,
): readonly string[] | undefined {
  const names = usedNames(access);
  const { verb, cause, group, resource } = access;
  if (names === undefined || verb === 'create') return undefined;
  if (cause === 'grant' || keepNames.has(verb)) return names;
  const declared = fixedNames.filter((fixed) => {
    return fixed.resource.group === group && fixed.resource.plural === resource;
  });
  const fixed = new Set(declared.flatMap((each) => each.names));
  return names.every((name) => fixed.has(name)) ? names : undefined;
}

function permissionsOf(
  { resource: { group, plural: resource }, namespace = '' }: DeclaredSource,
  scope: ScopeChoice,
): Permission[] {
  const noNames = { names: undefined, usedNames: undefined };
  return ['list', 'watch'].map((verb) => ({
    need: 'required',
    verb,
    group,
    resource,
    path: '',
    namespace: scope.of({ group, resource, namespace }),
    ...noNames,
  }));
}
