import {
  invalidOption,
  setControllerReference,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { applySetLabels } from './apply-set.ts';
import { memberKey } from './set-members.ts';

/** An object of a call of `applyAll` as it is sent, and its kind. */
export interface WantedObject {
  readonly resource: ApiResource;
  readonly object: DeepReadonly<KubernetesObject>;
  readonly key: string;
  /** If true, the garbage collector deletes the object with the owner. */
  readonly isOwned: boolean;
}

/** The owner of a set and the id of the set. */
export interface SetOwner {
  readonly resource: ApiResource;
  readonly object: DeepReadonly<KubernetesObject>;
  readonly id: string;
  /** If true, the owner controls the objects that it can own. */
  readonly controls: boolean;
}

/** Adds the label of the set, the namespace of the owner if none is given, and the owner reference. */
export function wantedObject(
  resource: ApiResource,
  given: DeepReadonly<KubernetesObject>,
  { id, object: owner, controls }: SetOwner,
): WantedObject {
  const namespace = namespaceOf(resource, given, owner.metadata?.namespace);
  const labels = { ...given.metadata?.labels, [applySetLabels.partOf]: id };
  const metadata = { ...given.metadata, ...(namespace !== undefined && { namespace }), labels };
  // `setControllerReference` returns a copy, so that the readonly members stay as they are.
  const labelled = { ...given, metadata } as object as KubernetesObject;
  const isOwned = controls && canOwn(owner, namespace);
  const object = isOwned ? setControllerReference(labelled, owner) : labelled;
  return { resource, object, key: memberKey(resource, object), isOwned };
}

/** Throws `INVALID_OPTION` if two objects have one name, or the owner is one of them. */
export function checkDistinct(
  wanted: readonly WantedObject[],
  { resource, object }: SetOwner,
): void {
  const seen = new Set([memberKey(resource, object)]);
  for (const [index, { key }] of wanted.entries()) {
    const reason = 'is the owner, or is in the list twice';
    if (seen.has(key)) throw invalidOption(`applyAll.objects[${index}]`, reason, { object: key });
    seen.add(key);
  }
}

function namespaceOf(
  resource: ApiResource,
  { metadata }: DeepReadonly<KubernetesObject>,
  ofOwner: string | undefined,
): string | undefined {
  const { kind } = resource;
  const namespace = metadata?.namespace;
  if (!resource.namespaced) {
    if (namespace) throw new ClientError('NAMESPACE_NOT_ALLOWED', { kind, namespace });
    return undefined;
  }
  const chosen = namespace || ofOwner;
  if (!chosen) throw new ClientError('NAMESPACE_REQUIRED', { kind, name: metadata?.name });
  return chosen;
}

/** True if the garbage collector would find the owner of an object in this namespace. */
function canOwn(
  { metadata }: DeepReadonly<KubernetesObject>,
  namespace: string | undefined,
): boolean {
  return !metadata?.namespace || metadata.namespace === namespace;
}
