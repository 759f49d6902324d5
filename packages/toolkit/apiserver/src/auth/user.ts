/** The authenticated user of a request (Kubernetes' `user.Info`). */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The group of all authenticated users. */
export const authenticatedGroup = 'system:authenticated';

/** The group of all users without credentials. */
export const unauthenticatedGroup = 'system:unauthenticated';

/** The user of requests without credentials, if anonymous requests are allowed. */
export const anonymous: User = { name: 'system:anonymous', groups: [unauthenticatedGroup] };

/** The privileged group of kube-apiserver: every authorizer allows all its requests. */
export const mastersGroup = 'system:masters';
