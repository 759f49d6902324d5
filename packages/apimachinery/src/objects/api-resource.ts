import type { KubernetesObject } from './kubernetes-object.ts';
import { isDnsLabel, isDnsSubdomain } from './name.ts';
import { checkOptions, invalidOption } from '../option.ts';

declare const objectType: unique symbol;

/**
 * A typed token for one kind of object of the API: what a URL and a type need, and the TypeScript
 * type of its objects. Tokens are compared by value (`resourceId`), never by identity.
 */
export interface ApiResource<T extends KubernetesObject = KubernetesObject> {
  /** The API group, `""` for the core group. */
  readonly group: string;
  readonly version: string;
  /** The CamelCase name of the type: `Deployment`. */
  readonly kind: string;
  /** The lower-case plural that URLs carry: `deployments`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Carries `T`; never present at run time. */
  readonly [objectType]?: T;
}

/** The type of the objects behind a token. */
export type ObjectOf<R> = R extends ApiResource<infer T> ? T : never;

/** `group/version`, or `version` in the core group: what objects carry as `apiVersion`. */
export function apiVersionOf(resource: Pick<ApiResource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** A text that is equal for two tokens of the same GVR: `apps/v1/deployments`, `v1/pods`. */
export function resourceId(resource: Pick<ApiResource, 'group' | 'version' | 'plural'>): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

/** What `defineResource` wants to know. */
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
 * Makes the token of a kind, usually a custom resource; `builtin` has those of Kubernetes itself.
 * Code `INVALID_OPTION`, naming the option, for what no API server would serve.
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
