import type { DeepReadonly, KubernetesObject, ObjectKey, ObjectMeta } from '@keelson/apimachinery';

/**
 * One version of an object as the store knows it. Looking at anything but `value()` costs no parse
 * of the body. A view never changes, and it keeps working after the store has moved on.
 */
export interface ObjectView<T extends KubernetesObject = KubernetesObject> {
  /** `"namespace/name"`, or `"name"` for a cluster-scoped object. */
  readonly key: ObjectKey;
  /** `undefined` for a cluster-scoped object. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's metadata without `managedFields`. Shared between readers: read only. */
  readonly metadata: DeepReadonly<ObjectMeta>;
  /**
   * The whole object, parsed when first asked for and remembered for a while. Shared between
   * readers: read only. Two calls may return the same object or equal ones.
   */
  value(): DeepReadonly<T>;
}
