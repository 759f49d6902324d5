import type { ListMeta } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Kinded, ProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import type { MetaVersion } from '../http/media-type.ts';
import { withoutShards } from './presentation.ts';

/** Converts the stored objects of a resource, or only their metadata, to protobuf. */
export class ProtobufPresentation {
  readonly #encoder: ProtobufEncoder;
  readonly #resource: ServedResource;
  /** The version of the metadata; `undefined` for whole objects. */
  readonly #partial: MetaVersion | undefined;
  /** Encoded objects, because lists and watches read the same versions repeatedly. */
  readonly #items = new WeakMap<StoredObject, Uint8Array>();

  constructor(encoder: ProtobufEncoder, resource: ServedResource, partial?: MetaVersion) {
    this.#encoder = encoder;
    this.#resource = resource;
    this.#partial = partial;
  }

  /** The bytes of a single object, also inside a watch event. */
  object(stored: StoredObject): Buffer {
    return this.#encoder.enveloped(this.#kind(), this.#item(stored));
  }

  list(metadata: ListMeta, objects: readonly StoredObject[]): Buffer {
    const items = objects.map((stored) => this.#item(stored));
    const { listKind } = this.#resource.facts;
    return this.#encoder.list({
      apiVersion: this.#kind().apiVersion,
      kind: this.#partial ? 'PartialObjectMetadataList' : listKind,
      metadata: this.#partial ? withoutShards(metadata) : metadata,
      items,
    });
  }

  /** The object of a bookmark event. */
  bookmark(metadata: object): object {
    return { ...this.#kind(), metadata };
  }

  #kind(): Kinded {
    if (this.#partial) return { apiVersion: this.#partial, kind: 'PartialObjectMetadata' };
    return { apiVersion: this.#resource.apiVersion, kind: this.#resource.facts.kind };
  }

  #item(stored: StoredObject): Uint8Array {
    let item = this.#items.get(stored);
    if (item === undefined) {
      const object = this.#partial
        ? { metadata: stored.parse().metadata }
        : this.#resource.read(stored);
      item = this.#encoder.item({ ...object, ...this.#kind() });
      this.#items.set(stored, item);
    }
    return item;
  }
}
