import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../storage/api-object.ts';
import type { AccessRecord } from '../observed/access-record.ts';
import type { Grant } from './grant-check.ts';

/** Finds the resource of an owner reference; `undefined` if the kind is not served. */
export type FindKind = (
  apiVersion: string,
  kind: string,
) => { readonly group: string; readonly plural: string; readonly namespaced: boolean } | undefined;

type OwnerReference = NonNullable<ApiObject['metadata']['ownerReferences']>[number];

/**
 * Records the access to the subresource `finalizers` of owners whose deletion an object blocks from now on. Neither this
 * server nor the default kube-apiserver requires it; `OwnerReferencesPermissionEnforcement` does.
 */
export function recordBlockedOwners(
  { object, before, requester }: Grant,
  findKind: FindKind,
  accesses: AccessRecord,
): void {
  const known = blockedOwners(before);
  for (const owner of blockedOwners(object)) {
    if (known.some((each) => isDeepStrictEqual(each, owner))) continue;
    const found = findKind(owner.apiVersion, owner.kind);
    if (found === undefined) continue;
    const { group, plural: resource, namespaced } = found;
    const namespace = namespaced ? requester.namespace : '';
    const { name } = owner;
    accesses.add(
      { ...requester, verb: 'update', group, resource, subresource: 'finalizers', namespace, name },
      'ownerReference',
    );
  }
}

function blockedOwners(object: ApiObject | undefined): OwnerReference[] {
  const { ownerReferences: owners } = object?.metadata ?? {};
  if (!Array.isArray(owners)) return [];
  // An update is validated later.
  return owners.filter((owner?: Partial<OwnerReference>) => owner?.blockOwnerDeletion === true);
}
