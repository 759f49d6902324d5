import {
  apiVersionOf,
  invalidOption,
  objectKey,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectKey,
  type ObjectName,
} from '@keelson/apimachinery';
import { jsonFormat, type Frame } from '@keelson/wire';
import { checkObject } from '../contract/check-arguments.ts';
import type { Projection } from '../contract/watch-query.ts';

/** An object that no longer exists, as the response of a write reported it. */
export interface DeletedObject {
  /** The namespace of the object. Default: none, for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** The last version of the object that the response had. Default: none. */
  readonly resourceVersion?: string | undefined;
}

/** Throws `INVALID_OPTION`: without a uid, the deletion would hide other objects too. */
export function checkDeleted(object: DeletedObject): void {
  checkObject(object, 'deleted.object');
  const { name, uid } = object;
  for (const text of [name, uid]) {
    if (typeof text === 'string' && text !== '') continue;
    throw invalidOption('deleted.object', 'must have a name and a uid');
  }
}

/**
 * A state of an object that the server returned for a write. All watches of the kind share its
 * bytes.
 */
export class OwnWrite {
  readonly name: ObjectName;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  #object: DeepReadonly<KubernetesObject> | undefined;
  #bytes: Buffer | undefined;

  private constructor(
    object: DeepReadonly<KubernetesObject>,
    { namespace, name, uid, resourceVersion }: Required<DeletedObject>,
  ) {
    this.name = namespace === undefined ? { name } : { namespace, name };
    this.key = objectKey(this.name);
    this.uid = uid;
    this.resourceVersion = resourceVersion ?? '';
    this.labels = { ...object.metadata?.labels };
    this.#object = object;
  }

  /**
   * Returns the write for a response. `undefined` for a response that has no stored object of the
   * kind: a `Scale`, a review or metadata alone.
   */
  static of(resource: ApiResource, object: DeepReadonly<KubernetesObject>): OwnWrite | undefined {
    const { apiVersion, kind, metadata = {} } = object;
    if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) return undefined;
    const { namespace, name, uid, resourceVersion } = metadata;
    if (!name || !uid || !resourceVersion) return undefined;
    return new OwnWrite(object, { namespace, name, uid, resourceVersion });
  }

  /**
   * The state as JSON. It is encoded at the first use, which must be before the caller of the write receives the object
   * and may change it.
   */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#object));
    this.#object = undefined;
    return this.#bytes;
  }

  /** Returns the state as a watch of the projection receives it. */
  frame(projection: Projection): Frame {
    const buffer = projection === 'full' ? this.bytes : metadataOf(this.bytes);
    return { type: 'MODIFIED', format: jsonFormat, buffer, from: 0, to: buffer.length };
  }
}

function metadataOf(bytes: Buffer): Buffer {
  const { metadata } = jsonFormat.decode(bytes, 0, bytes.length) as KubernetesObject;
  const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
  return Buffer.from(JSON.stringify(partial));
}
