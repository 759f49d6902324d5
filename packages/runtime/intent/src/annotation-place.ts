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

/** The limit of kube-apiserver for the keys and values of all annotations of an object (`TotalAnnotationSizeLimitB`). */
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

  /** Without a resourceVersion: a change of the spec meanwhile must not discard the record of the applied spec. */
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
      // The server refuses to change the uid of a new object of the same name.
      const isRefused = isConflict(error) || isInvalid(error);
      if (isRefused && (await readAgain(access)) === undefined) return undefined;
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
