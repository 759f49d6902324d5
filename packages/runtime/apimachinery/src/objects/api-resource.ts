import type { ClusterScopedObject, KubernetesObject } from './kubernetes-object.ts';
import { isDnsLabel, isDnsSubdomain } from './name.ts';
import type { Hint } from '../hint.ts';
import { checkOptions, invalidOption } from '../option.ts';

declare const objectType: unique symbol;
declare const inputType: unique symbol;

/** Whether the objects of a kind belong to a namespace, in the words of a CRD's `spec.scope`. */
export type Scope = 'Namespaced' | 'Cluster';

/**
 * A typed token for one kind of API object: its GVK, its plural for URLs, its scope and the type of its
 * objects. The type of the objects of a cluster-scoped kind extends `ClusterScopedObject`. Tokens are compared by
 * value (`resourceId`), never by identity.
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

/**
 * A token of a kind with defaults. `T` is the type of the objects that the server returns, `Input` that of the objects
 * that it accepts, in which a member with a default may be missing.
 */
export interface DefaultedResource<
  T extends KubernetesObject,
  Input extends KubernetesObject,
> extends ApiResource<T> {
  /**
   * Holds the type `Input`; never present at run time. It is a method, because TypeScript compares the parameters of
   * methods in both directions. The token is therefore accepted where another token of `T` is expected.
   */
  [inputType]?(object: Input): void;
}

/** The type of a token's objects as the server returns them. */
export type ObjectOf<R> = R extends ApiResource<infer T> ? T : never;

/** The type of a token's objects as the server accepts them: members with a default are optional. */
export type InputOf<R> = R extends { [inputType]?(object: infer Input): void }
  ? unknown extends Input
    ? ObjectOf<R>
    : Input
  : never;

/** Returns the `apiVersion` of a resource's objects: `group/version`, or `version` in the core group. */
export function apiVersionOf(resource: Pick<ApiResource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Returns a key that is equal for two tokens of the same GVR, such as `apps/v1/deployments` or `v1/pods`. */
export function resourceId(resource: Pick<ApiResource, 'group' | 'version' | 'plural'>): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

/** Names a kind for `defineResource`: its group, version and plural form the URL. */
interface CommonOptions {
  /** The API group, `""` for the core group. */
  readonly group: string;
  /** The version, such as `v1`. */
  readonly version: string;
  /** The kind in the objects, such as `Deployment`. */
  readonly kind: string;
  /** The plural in the URL, such as `deployments`. */
  readonly plural: string;
}

/** Names a kind whose type does not decide the scope, for `defineResource`. */
export interface AnyScopeOptions extends CommonOptions {
  /** The scope of the kind. Default: `Namespaced`. */
  readonly scope?: Scope;
}

/** Names a namespaced kind for `defineResource`. */
export interface NamespacedOptions extends CommonOptions {
  /** The scope of the kind. `Cluster` requires a type that extends `ClusterScopedObject`. Default: `Namespaced`. */
  readonly scope?:
    | 'Namespaced'
    | Hint<'scope: for Cluster the type must extend ClusterScopedObject'>;
}

/** Names a cluster-scoped kind for `defineResource`. */
export interface ClusterScopedOptions extends CommonOptions {
  readonly scope: 'Cluster';
}

/** Names a kind for `defineResource`. The scope must be that of the type of the objects. */
export type ResourceOptions<T extends KubernetesObject = KubernetesObject> = [T] extends [
  ClusterScopedObject,
]
  ? ClusterScopedOptions
  : [keyof T] extends [keyof KubernetesObject]
    ? AnyScopeOptions
    : NamespacedOptions;

const optionNames = ['group', 'version', 'kind', 'plural', 'scope'] as const;

/**
 * Creates the token of a kind, usually of a custom resource; `builtin` has the tokens of Kubernetes itself. Annotate a
 * constant as `DefaultedResource` if the server adds members to the objects that it accepts. Throws `INVALID_OPTION`
 * with the name of an option that no API server would accept.
 *
 * @example
 * ```ts
 * import { defineResource, type KubernetesObject } from '@keelson/manager';
 *
 * interface Website extends KubernetesObject {
 *   spec: { host: string };
 *   status?: { url?: string };
 * }
 *
 * export const Website = defineResource<Website>({
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Website',
 *   plural: 'websites',
 * });
 * ```
 */
export function defineResource<T extends KubernetesObject = KubernetesObject>(
  options: ResourceOptions<T>,
): ApiResource<T> {
  checkOptions(options, optionNames, 'defineResource', { namespaced: "use `scope: 'Cluster'`" });
  const { group, version, kind, plural, scope = 'Namespaced' } = options;
  check('group', group, 'a DNS subdomain, or "" for the core group', isGroup);
  check('version', version, 'a DNS label such as "v1"', isDnsLabel);
  check('kind', kind, 'a CamelCase name such as "WebApp"', isKind);
  check('plural', plural, 'a lower-case name such as "webapps"', isDnsLabel);
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    throw invalidOption('defineResource.scope', 'must be Namespaced or Cluster');
  }
  return Object.freeze({ group, version, kind, plural, namespaced: scope === 'Namespaced' });
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
