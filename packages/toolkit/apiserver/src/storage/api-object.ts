import type { KubernetesObject, ObjectMeta } from '@keelson/apimachinery';

/** An object inside the server: JSON with metadata and untyped further members. */
export interface ApiObject extends KubernetesObject {
  metadata: ObjectMeta;
  [field: string]: unknown;
}
