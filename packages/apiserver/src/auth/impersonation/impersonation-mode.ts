import { nodeOf, serviceAccountOf } from '../system-user.ts';
import type { User } from '../user.ts';

/** A way to be allowed to act as somebody else: what its rights are called, and whom it is for. */
export interface ImpersonationMode {
  /** In the verbs `impersonate:NAME` and `impersonate-on:NAME:VERB`. `undefined`: the verb is `impersonate` alone. */
  readonly name: string | undefined;
  readonly isFor: (wanted: User, requester: User) => boolean;
}

/** In the order in which they are tried (KEP-5284): from the narrowest right to the widest. */
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
  { name: undefined, isFor: () => true },
];

/** What else such a user has is not for others to choose. */
function hasOnlyName({ uid = '', groups, extra = {} }: User): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

/** The node that a service account runs on, as its token says. */
function nodeUnder({ name, extra }: User): string | undefined {
  if (serviceAccountOf(name) === undefined) return undefined;
  const nodes = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return nodes.length === 1 ? nodes[0] : undefined;
}
