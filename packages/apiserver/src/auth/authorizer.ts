import type { User } from './user.ts';

/** What a request wants to do to a resource. Empty strings where the request names none. */
export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly user: User;
  /** `get` `list` `watch` `create` `update` `patch` `delete` `deletecollection`, or a special verb. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `""`: cluster-scoped, or all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** A request to a URL that is no resource: `/version`, `/healthz`, discovery. */
export interface PathAttributes {
  readonly kind: 'path';
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type AccessAttributes = ResourceAttributes | PathAttributes;

/** What an authorizer thinks of a request. */
export interface AccessDecision {
  readonly allowed: boolean;
  /** Why; shown in access reviews. */
  readonly reason: string;
}

/** Decides who may do what. */
export interface Authorizer {
  readonly authorize: (attributes: AccessAttributes) => AccessDecision;
}

/** Lets everything through, the default of an embedded server. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ allowed: true, reason: '' }),
};
