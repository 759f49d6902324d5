import type { User } from './user.ts';

/** The access to a resource that a request needs. Members without a value are empty strings. */
export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly user: User;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`, or a special verb. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `""` for a cluster-scoped resource or all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** A request to a URL that does not name a resource: `/version`, `/healthz`, discovery. */
export interface PathAttributes {
  readonly kind: 'path';
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type AccessAttributes = ResourceAttributes | PathAttributes;

/** The decision of an authorizer about a request. */
export interface AccessDecision {
  readonly allowed: boolean;
  /** The reason, shown in access reviews. */
  readonly reason: string;
}

/** Decides whether a user may make a request. */
export interface Authorizer {
  readonly authorize: (attributes: AccessAttributes) => AccessDecision;
}

/** Allows every request; the default of an embedded server. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ allowed: true, reason: '' }),
};
