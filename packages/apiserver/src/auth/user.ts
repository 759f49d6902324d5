/** Who makes a request, as the authentication found (Kubernetes' `user.Info`). */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Everybody who proved who they are is in this group. */
export const authenticatedGroup = 'system:authenticated';

/** Everybody else is in this one. */
export const unauthenticatedGroup = 'system:unauthenticated';

/** A request without credentials, where anonymous requests are allowed. */
export const anonymous: User = { name: 'system:anonymous', groups: [unauthenticatedGroup] };

/** The group that every authorizer lets through (the privileged group of kube-apiserver). */
export const mastersGroup = 'system:masters';
