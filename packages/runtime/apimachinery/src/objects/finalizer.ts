import type { DeepReadonly } from './deep-readonly.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

type ReadonlyObject = DeepReadonly<KubernetesObject>;

/** True if the object has been deleted and exists only until its finalizers are removed. */
export function isDeleting(object: ReadonlyObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** True if the object has this finalizer. */
export function hasFinalizer(object: ReadonlyObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns the object's finalizers with this one, at the end if it is new. Write the list together with the
 * object's resourceVersion. Otherwise the write may undo a concurrent change of the finalizers.
 */
export function addFinalizer(object: ReadonlyObject, finalizer: string): string[] {
  const finalizers = object.metadata?.finalizers ?? [];
  return finalizers.includes(finalizer) ? [...finalizers] : [...finalizers, finalizer];
}

/** Returns the object's finalizers without this one. Write the list as described for `addFinalizer`. */
export function removeFinalizer(object: ReadonlyObject, finalizer: string): string[] {
  return (object.metadata?.finalizers ?? []).filter((other) => other !== finalizer);
}
