import type { DeepReadonly } from './deep-readonly.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

type ReadonlyObject = DeepReadonly<KubernetesObject>;

/** True once somebody has deleted the object; it stays until its finalizers are gone. */
export function isDeleting(object: ReadonlyObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** Whether the object carries the finalizer. */
export function hasFinalizer(object: ReadonlyObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/**
 * The object's finalizers with this one, at the end if it is new. Write the list with the object's resourceVersion:
 * without one, a change that somebody else made in between is lost.
 */
export function addFinalizer(object: ReadonlyObject, finalizer: string): string[] {
  const finalizers = object.metadata?.finalizers ?? [];
  return finalizers.includes(finalizer) ? [...finalizers] : [...finalizers, finalizer];
}

/** The object's finalizers without this one; to be written as `addFinalizer` says. */
export function removeFinalizer(object: ReadonlyObject, finalizer: string): string[] {
  return (object.metadata?.finalizers ?? []).filter((other) => other !== finalizer);
}
