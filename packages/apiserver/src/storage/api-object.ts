import type { KubernetesObject, ObjectMeta } from '@keelson/apimachinery';

/** An object inside the server: JSON with metadata, whose other members nobody has typed. */
export interface ApiObject extends KubernetesObject {
  metadata: ObjectMeta;
  [field: string]: unknown;
}
