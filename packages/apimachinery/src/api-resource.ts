import type { KubernetesObject } from './kubernetes-object.ts';

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
