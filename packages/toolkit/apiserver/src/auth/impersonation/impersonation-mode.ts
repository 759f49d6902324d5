import { nodeOf, serviceAccountOf } from '../system-user.ts';
import type { User } from '../user.ts';

/** A way to authorize impersonation: its verbs and the users that it covers. */
export interface ImpersonationMode {
  /**
   * The name in the verbs `impersonate:NAME` and `impersonate-on:NAME:VERB`. `undefined`: the verb is just
   * `impersonate`.
   */
  readonly name: string | undefined;
  readonly isFor: (wanted: User, requester: User) => boolean;
}

/** The verb `impersonate`, without constraints. */
export const widestMode: ImpersonationMode = { name: undefined, isFor: () => true };

/** In the order in which the server tries them (KEP-5284): from the narrowest permission to the widest. */
export const impersonationModes: readonly ImpersonationMode[] = [
  {
    name: 'associated-node',
    isFor: (wanted, requester) => {
      const node = nodeOf(wanted.name);
      return node !== undefined && hasOnlyName(wanted) && node === nodeUnder(requester);
    },
  },
  {
    name: 'arbitrary-node',
    isFor: (wanted) => hasOnlyName(wanted) && nodeOf(wanted.name) !== undefined,
  },
  {
    name: 'serviceaccount',
    isFor: (wanted) => hasOnlyName(wanted) && serviceAccountOf(wanted.name) !== undefined,
  },
  {
    name: 'user-info',
    isFor: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
  },
  widestMode,
];

/** True if a user has only a name: uid, groups and extra values of such users are fixed. */
function hasOnlyName({ uid = '', groups, extra = {} }: User): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

/** The node that a service account runs on, from the extra values of its token. */
function nodeUnder({ name, extra }: User): string | undefined {
  if (serviceAccountOf(name) === undefined) return undefined;
  const nodes = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return nodes.length === 1 ? nodes[0] : undefined;
}
