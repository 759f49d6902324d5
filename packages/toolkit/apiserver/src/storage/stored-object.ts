import { objectKey, type ObjectKey, type ObjectMeta } from '@keelson/apimachinery';
import type { ApiObject } from './api-object.ts';
import type { ByteArena } from './byte-arena.ts';
import { orderedMetadata } from './metadata-order.ts';
import { exactText, parseExact, setOwn } from '@keelson/structural-schema';

/** Values of the selectable fields of an object, by path. */
export type SelectableValues = Readonly<Record<string, string>>;

/** The parts of a stored state: the parsed members, and the JSON of all. */
export interface StoredParts {
  readonly revision: number;
  /** The metadata without `managedFields`. */
  readonly metadata: ObjectMeta;
  /** The values of the selectable fields, or a function that finds them in the parsed object. */
  readonly fields: SelectableValues | ((object: ApiObject) => SelectableValues);
  /** The JSON of the stored form, without `apiVersion` and `kind`. */
  readonly bytes: Buffer;
  /** True if an integer exceeds 2^53, which needs a slower parser; `undefined` if that is unknown. */
  readonly hasBigints: boolean | undefined;
}

/** The members that do not follow the metadata: two are not stored. */
const separate: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Matches an integer beyond 2^53, and some texts. */
const longInteger = /[:,[]\s*-?\d{16}/;

/**
 * One immutable state of one object; every write creates a new one. The metadata and selectable fields are parsed,
 * because lists, watches and controllers read them. The rest is bytes, so that responses copy instead of encode.
 */
export class StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** The metadata without `managedFields`. */
  readonly metadata: ObjectMeta;
  #fields: StoredParts['fields'];
  readonly #hasBigints: boolean | undefined;
  #bytes: Buffer;

  constructor({ revision, metadata, fields, bytes, hasBigints }: StoredParts) {
    this.key = keyOfMetadata(metadata);
    this.revision = revision;
    this.metadata = metadata;
    this.#fields = fields;
    this.#hasBigints = hasBigints;
    this.#bytes = bytes;
  }

  /** Encodes an object. Its bytes are stored in `arena`; without one they get their own block. */
  static of(
    object: ApiObject,
    revision: number,
    fields: SelectableValues,
    arena?: ByteArena,
  ): StoredObject {
    const { managedFields } = object.metadata;
    const metadata = orderedMetadata(object.metadata);
    const members: Record<string, unknown> = {
      metadata: managedFields === undefined ? metadata : { ...metadata, managedFields },
    };
    for (const name of Object.keys(object)) {
      if (!separate.has(name)) setOwn(members, name, object[name]);
    }
    const { json, hasBigints } = exactText(members);
    const bytes = arena?.store(json) ?? Buffer.from(json);
    return new StoredObject({ revision, metadata, fields, bytes, hasBigints });
  }

  /** The values of the selectable fields. A restored object finds them when they are first needed. */
  get fields(): SelectableValues {
    if (typeof this.#fields === 'function') this.#fields = this.#fields(this.parse());
    return this.#fields;
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
    const hasBigints = this.#hasBigints ?? longInteger.test(json);
    return (hasBigints ? parseExact(json) : JSON.parse(json)) as ApiObject;
  }

  /** Returns the same content with a later revision, as deletions need it. */
  at(revision: number, arena?: ByteArena): StoredObject {
    const object = this.parse();
    object.metadata.resourceVersion = String(revision);
    return StoredObject.of(object, revision, this.fields, arena);
  }
}

/** Returns the storage key of an object with this metadata. */
export function keyOfMetadata({ namespace = '', name = '' }: ObjectMeta): ObjectKey {
  return objectKey({ namespace, name });
}
