import {
  isConflict,
  isInvalid,
  isNotFound,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { nameOf } from './name-of.ts';
import type { IntentAccess, IntentPlace } from './intent-place.ts';
import { readAgain } from './read-again.ts';
import { checkRecordSize } from './record-limit.ts';

/**
 * The limit of kube-apiserver for the keys and values of all annotations of an object (`TotalAnnotationSizeLimitB`).
 */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Stores the record in an annotation of the object itself. */
export class AnnotationPlace<T extends KubernetesObject> implements IntentPlace<T> {
  readonly isInObject = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  read({ object }: IntentAccess<T>): string | undefined {
    const { annotations = {} } = object.metadata;
    return Object.hasOwn(annotations, this.#name) ? annotations[this.#name] : undefined;
  }

  check(access: IntentAccess<T>, text: string): void {
    const others = Object.entries(access.object.metadata.annotations ?? {});
    const all = [...others.filter(([name]) => name !== this.#name), [this.#name, text]];
    const size = all.flat().reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    checkRecordSize(access, { size, limit: MAX_ANNOTATION_BYTES, place: 'annotations' });
  }

  /**
   * Writes without a resourceVersion, so that a concurrent change of the spec does not discard the record of the
   * applied one.
   */
  async write(
    access: IntentAccess<T>,
    text: string,
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    const { client, resource, object, signal } = access;
    const body = { metadata: { uid: object.metadata.uid, annotations: { [this.#name]: text } } };
    // A merge patch of metadata is valid for every kind, which the type of one kind cannot express.
    const patch = { type: 'merge', body } as unknown as Parameters<Client['patch']>[2];
    try {
      const any: ApiResource = resource;
      const written: unknown = await client.patch(any, nameOf(object), patch, { signal });
      return written as DeepReadonly<Persisted<T>>;
    } catch (error) {
      // The patch contains the uid. If a new object has the name now, the server refuses to change its uid.
      const isRefused = isConflict(error) || isInvalid(error);
      if (isRefused && (await readAgain(access)) === undefined) return undefined;
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
