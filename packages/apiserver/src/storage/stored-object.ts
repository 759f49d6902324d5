import { objectKey, type ObjectKey, type ObjectMeta } from '@keelson/apimachinery';
import type { ApiObject } from './api-object.ts';
import type { ByteArena } from './byte-arena.ts';
import { orderedMetadata } from './metadata-order.ts';
import { exactText, parseExact } from '../json/exact-json.ts';

/** The values of the fields by which a kind can be selected, by path. */
export type SelectableValues = Readonly<Record<string, string>>;

/**
 * One state of one object. It never changes: a write makes a new one. What lists, watches and the
 * controllers inside the server ask for is held parsed; the rest is bytes, so that serving an object is copying it.
 */
export class StoredObject {
  readonly key: ObjectKey;
  readonly revision: number;
  /** Without `managedFields`. */
  readonly metadata: ObjectMeta;
  readonly fields: SelectableValues;
  /** Whether some of its integers are beyond 2^53: parsing is slower then. */
  readonly #hasBigints: boolean;
  #bytes: Buffer;

  /** `arena`: where the bytes are kept; without one they get a block of their own. */
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

  /** The JSON of the object in its storage form, without `apiVersion` and `kind`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Moves the bytes out of an arena, so that an object that lives long does not keep the block around it. */
  settle(): void {
    if (this.#bytes.length === this.#bytes.buffer.byteLength) return;
    const own = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#bytes.copy(own);
    this.#bytes = own;
  }

  /** A fresh copy of the object, without `apiVersion` and `kind`. */
  parse(): ApiObject {
    const json = this.bytes.toString();
    return (this.#hasBigints ? parseExact(json) : JSON.parse(json)) as ApiObject;
  }

  /** The same content announced at a later revision, as a delete announces it. */
  at(revision: number, arena?: ByteArena): StoredObject {
    const object = this.parse();
    object.metadata.resourceVersion = String(revision);
    return new StoredObject(object, revision, this.fields, arena);
  }
}

/** The key under which an object with this metadata is stored. */
export function keyOfMetadata({ namespace = '', name = '' }: ObjectMeta): ObjectKey {
  return objectKey({ namespace, name });
}
