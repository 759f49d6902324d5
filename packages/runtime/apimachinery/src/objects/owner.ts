import type { ApiResource } from './api-resource.ts';
import { CodedError } from '../coded-error.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { apimachineryErrors } from '../errors.ts';
import type { KubernetesObject, OwnerReference } from './kubernetes-object.ts';
import { keyOf } from './object-key.ts';

type ReadonlyObject = DeepReadonly<KubernetesObject>;
type ReadonlyReference = DeepReadonly<OwnerReference>;

/** Flags of an owner reference. Missing flags are omitted from the reference. */
export interface OwnerReferenceOptions {
  /** The owner manages the object. At most one reference of an object has this flag. */
  readonly controller?: boolean;
  /** A foreground deletion of the owner waits until the object is deleted. */
  readonly blockOwnerDeletion?: boolean;
}

/** Returns the owner reference with `controller: true`, or `undefined`. */
export function controllerOf(object: ReadonlyObject): ReadonlyReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** True if the controller reference of `object` has the uid of `owner`. */
export function isControlledBy(object: ReadonlyObject, owner: ReadonlyObject): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/** True if the reference names this kind, in any version of its group. */
export function refersToKind(
  reference: Pick<ReadonlyReference, 'apiVersion' | 'kind'>,
  resource: Pick<ApiResource, 'group' | 'kind'>,
): boolean {
  return reference.kind === resource.kind && groupOf(reference.apiVersion) === resource.group;
}

/**
 * Returns a reference to `owner`, an object with apiVersion, kind, name and uid, as the API returns it.
 * Throws `INVALID_OWNER` if one of them is missing.
 */
export function ownerReferenceTo(
  owner: ReadonlyObject,
  { controller, blockOwnerDeletion }: OwnerReferenceOptions = {},
): OwnerReference {
  return {
    apiVersion: required(owner, 'apiVersion', owner.apiVersion),
    kind: required(owner, 'kind', owner.kind),
    name: required(owner, 'metadata.name', owner.metadata?.name),
    uid: required(owner, 'metadata.uid', owner.metadata?.uid),
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/**
 * Returns a copy of `object` with `owner` as its controller, in place of an older reference to the same
 * owner. The reference blocks a foreground deletion of the owner, as in controller-runtime's
 * `SetControllerReference`. Throws `ALREADY_CONTROLLED` if another object is the controller. Throws
 * `INVALID_OWNER` for an invalid owner, such as a namespaced owner of an object in another namespace.
 *
 * @example
 * ```ts
 * import { setControllerReference, type KubernetesObject } from '@keelson/manager';
 *
 * // The ConfigMap goes when its owner is deleted, and its events queue the owner (`owns: [ConfigMap]`).
 * export function childOf(owner: KubernetesObject): KubernetesObject {
 *   const { namespace = '', name = '' } = owner.metadata ?? {};
 *   return setControllerReference(
 *     { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } },
 *     owner,
 *   );
 * }
 * ```
 */
export function setControllerReference<T extends KubernetesObject>(
  object: T,
  owner: ReadonlyObject,
): T {
  checkNamespaces(object, owner);
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  const present = controllerOf(object);
  if (present !== undefined && !refersToSameObject(present, reference)) {
    throw alreadyControlled(object, present);
  }
  const others = (object.metadata?.ownerReferences ?? []).filter(
    (other) => !refersToSameObject(other, reference),
  );
  return {
    ...object,
    metadata: { ...object.metadata, ownerReferences: [...others, reference] },
  };
}

/**
 * Compares names instead of uids, so that a new reference replaces that of an owner which was deleted and re-created.
 */
function refersToSameObject(a: ReadonlyReference, b: ReadonlyReference): boolean {
  return a.name === b.name && a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/**
 * Refuses an owner in another namespace, because the garbage collector would not find it and would
 * delete the object.
 */
function checkNamespaces(object: ReadonlyObject, owner: ReadonlyObject): void {
  const ownerNamespace = owner.metadata?.namespace ?? '';
  if (ownerNamespace !== '' && ownerNamespace !== (object.metadata?.namespace ?? '')) {
    throw invalidOwner(owner, `an owner in a namespace owns only objects in it`, {
      object: keyOf(object),
    });
  }
}

function required(owner: ReadonlyObject, member: string, value: string | undefined): string {
  if (value === undefined || value === '') throw invalidOwner(owner, `it has no ${member}`);
  return value;
}

function invalidOwner(
  owner: ReadonlyObject,
  reason: string,
  facts: Readonly<Record<string, string>> = {},
): CodedError<'INVALID_OWNER'> {
  return new CodedError('INVALID_OWNER', apimachineryErrors.INVALID_OWNER, {
    owner: keyOf(owner),
    reason,
    ...facts,
  });
}

function alreadyControlled(
  object: ReadonlyObject,
  { kind, name }: ReadonlyReference,
): CodedError<'ALREADY_CONTROLLED'> {
  return new CodedError('ALREADY_CONTROLLED', apimachineryErrors.ALREADY_CONTROLLED, {
    object: keyOf(object),
    controller: `${kind} ${name}`,
  });
}
