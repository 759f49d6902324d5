import { objectKey, type ObjectKey, type ObjectMeta } from '@keelson/apimachinery';
import type { ApiObject } from './api-object.ts';
import type { ByteArena } from './byte-arena.ts';
import { orderedMetadata } from './metadata-order.ts';
import { exactText, parseExact } from '@keelson/structural-schema';

/** Values of the selectable fields of an object, by path. */
export type SelectableValues = Readonly<Record<string, string>>;

/**
 * One immutable state of one object; every write creates a new one. The metadata and selectable fields are parsed,
 * because lists, watches and controllers read them. The rest is bytes, so that responses copy instead of encode.
 */
export class StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** The metadata without `managedFields`. */
  readonly metadata: ObjectMeta;
  readonly fields: SelectableValues;
  /** True if an integer exceeds 2^53, which needs a slower parser. */
  readonly #hasBigints: boolean;
  #bytes: Buffer;

  /** Stores the bytes in `arena`; without one they get their own block. */
  constructor(object: ApiObject, revision: number, fields: SelectableValues, arena?: ByteArena) {
    const { apiVersion: _apiVersion, kind: _kind, metadata: given, ...rest } = object;
    const metadata = orderedMetadata(given);
    const { managedFields: _managedFields, ...head } = metadata;
    this.key = keyOfMetadata(metadata);
    this.revision = revision;
    this.metadata = head;
    this.fields = fields;
    const { json, hasBigints } = exactText({ metadata, ...rest });
    this.#hasBigints = hasBigints;
    this.#bytes = arena?.store(json) ?? Buffer.from(json);
  }

  /** The JSON of the stored form, without `apiVersion` and `kind`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Moves the bytes to their own block, so that a long-lived object does not retain a shared block. */
  moveToOwnBlock(): void {
    if (this.#bytes.length === this.#bytes.buffer.byteLength) return;
    const own = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#bytes.copy(own);
    this.#bytes = own;
  }

  /** Returns a new copy of the object, without `apiVersion` and `kind`. */
  parse(): ApiObject {
    const json = this.bytes.toString();
    return (this.#hasBigints ? parseExact(json) : JSON.parse(json)) as ApiObject;
  }

  /** Returns the same content with a later revision, as deletions need it. */
  at(revision: number, arena?: ByteArena): StoredObject {
    const object = this.parse();
    object.metadata.resourceVersion = String(revision);
    return new StoredObject(object, revision, this.fields, arena);
  }
}

/** Returns the storage key of an object with this metadata. */
export function keyOfMetadata({ namespace = '', name = '' }: ObjectMeta): ObjectKey {
  return objectKey({ namespace, name });
}
