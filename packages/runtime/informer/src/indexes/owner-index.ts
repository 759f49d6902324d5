import {
  ownerReferenceTo,
  type DeepReadonly,
  type KubernetesObject,
  type OwnerReference,
} from '@keelson/apimachinery';
import { keepsNoView, type Indexer } from '../contract/indexer.ts';

/** The owner references that count: only the controller reference, or any. */
export type OwnerMatch = 'controller' | 'any';

type Reference = DeepReadonly<OwnerReference>;

const indexers: Readonly<Record<OwnerMatch, Indexer>> = {
  controller: {
    name: 'owner:controller',
    [keepsNoView]: true,
    head: ({ metadata }) =>
      (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(valueOf),
  },
  any: {
    name: 'owner:any',
    [keepsNoView]: true,
    head: ({ metadata }) => (metadata.ownerReferences ?? []).map(valueOf),
  },
};

/**
 * Returns the indexer with which `owned` finds the children of an owner. It reads the metadata, so no body is parsed.
 */
export function ownerIndexer<T extends KubernetesObject>(
  owners: OwnerMatch = 'controller',
): Indexer<T> {
  return indexers[owners] as Indexer<T>;
}

/**
 * Returns the value under which the index has the children of an owner: its uid, its kind and its group. It does not
 * contain the version, because a reference keeps the version with which it was written. Throws `INVALID_OWNER`.
 */
export function ownerValue(owner: DeepReadonly<KubernetesObject>): string {
  return valueOf(ownerReferenceTo(owner));
}

function valueOf({ uid, kind, apiVersion }: Reference): string {
  const slash = apiVersion.indexOf('/');
  return `${uid} ${kind} ${slash < 0 ? '' : apiVersion.slice(0, slash)}`;
}
