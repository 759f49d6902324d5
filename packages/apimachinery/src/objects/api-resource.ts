import type { KubernetesObject } from './kubernetes-object.ts';
import { isDnsLabel, isDnsSubdomain } from './name.ts';
import { checkOptions, invalidOption } from '../option.ts';

declare const objectType: unique symbol;

/**
 * A typed token for one kind of API object: its GVK, its plural for URLs, its scope and the type of its
 * objects. Tokens are compared by value (`resourceId`), never by identity.
 */
export interface ApiResource<T extends KubernetesObject = KubernetesObject> {
  /** The API group, `""` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The kind in CamelCase, such as `Deployment`. */
  readonly kind: string;
  /** The plural in lower case, as in URLs: `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Holds the type `T`; never present at run time. */
  readonly [objectType]?: T;
}

/** The type of a token's objects. */
export type ObjectOf<R> = R extends ApiResource<infer T> ? T : never;

/** Returns the `apiVersion` of a resource's objects: `group/version`, or `version` in the core group. */
export function apiVersionOf(resource: Pick<ApiResource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Returns a key that is equal for two tokens of the same GVR, such as `apps/v1/deployments` or `v1/pods`. */
export function resourceId(resource: Pick<ApiResource, 'group' | 'version' | 'plural'>): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

/** The arguments of `defineResource`. */
export interface ResourceOptions {
  /** The API group, `""` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: true. */
  readonly namespaced?: boolean;
}

const optionNames = ['group', 'version', 'kind', 'plural', 'namespaced'] as const;

/**
 * Creates the token of a kind, usually of a custom resource; `builtin` has the tokens of Kubernetes itself.
 * Throws `INVALID_OPTION` with the name of an option that no API server would accept.
 */
export function defineResource<T extends KubernetesObject = KubernetesObject>(
  options: ResourceOptions,
): ApiResource<T> {
  checkOptions(options, optionNames, 'defineResource');
  const { group, version, kind, plural, namespaced = true } = options;
  check('group', group, 'a DNS subdomain, or "" for the core group', isGroup);
  check('version', version, 'a DNS label such as "v1"', isDnsLabel);
  check('kind', kind, 'a CamelCase name such as "WebApp"', isKind);
  check('plural', plural, 'a lower-case name such as "webapps"', isDnsLabel);
  if (typeof namespaced !== 'boolean') {
    throw invalidOption('defineResource.namespaced', 'must be a boolean');
  }
  return Object.freeze({ group, version, kind, plural, namespaced });
}

function check(
  option: string,
  value: unknown,
  expected: string,
  accepts: (text: string) => boolean,
): void {
  if (typeof value !== 'string' || !accepts(value)) {
    const facts = value === undefined ? {} : { value };
    throw invalidOption(`defineResource.${option}`, `must be ${expected}`, facts);
  }
}

function isGroup(group: string): boolean {
  return group === '' || isDnsSubdomain(group);
}

function isKind(kind: string): boolean {
  return /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind);
}
