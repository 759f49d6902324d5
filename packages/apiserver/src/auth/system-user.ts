import { isDnsLabel, isDnsSubdomain } from '@keelson/apimachinery';

/** The service account that a user's name stands for, if it is one. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** All nodes are in this group. */
export const nodesGroup = 'system:nodes';

/** `system:serviceaccount:NAMESPACE:NAME` */
export function serviceAccountOf(username: string): ServiceAccountName | undefined {
  const [, namespace = '', name = ''] =
    /^system:serviceaccount:([^:]*):([^:]*)$/.exec(username) ?? [];
  return isDnsLabel(namespace) && isDnsSubdomain(name) ? { namespace, name } : undefined;
}

/** The groups of every service account of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The node that a user's name stands for: `system:node:NAME`. */
export function nodeOf(username: string): string | undefined {
  const name = /^system:node:(.*)$/.exec(username)?.[1] ?? '';
  return isDnsSubdomain(name) ? name : undefined;
}
