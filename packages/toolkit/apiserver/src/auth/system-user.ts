import { isDnsLabel, isDnsSubdomain } from '@keelson/apimachinery';

/** The service account that a user name identifies. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The group of all nodes. */
export const nodesGroup = 'system:nodes';

/** Parses `system:serviceaccount:NAMESPACE:NAME`; undefined for other user names. */
export function serviceAccountOf(username: string): ServiceAccountName | undefined {
  const [, namespace = '', name = ''] =
    /^system:serviceaccount:([^:]*):([^:]*)$/.exec(username) ?? [];
  return isDnsLabel(namespace) && isDnsSubdomain(name) ? { namespace, name } : undefined;
}

/** The groups of every service account of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Parses `system:node:NAME`; undefined for other user names. */
export function nodeOf(username: string): string | undefined {
  const name = /^system:node:(.*)$/.exec(username)?.[1] ?? '';
  return isDnsSubdomain(name) ? name : undefined;
}
