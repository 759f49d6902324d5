import type { ListMeta } from '@keelson/apimachinery';
import { lazy } from '@keelson/structural-schema';
import { magic } from './decode-protobuf.ts';
import { MessageEncoder } from './encode-message.ts';
import { messageOf, readMessages } from './messages.ts';
import { type Wire, WireWriter } from './wire-writer.ts';

/** The type of an object. */
export interface Kinded {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

/** The metadata of a list and its encoded items. */
export interface EncodedList extends Kinded {
  readonly metadata: ListMeta;
  readonly items: readonly Uint8Array[];
}

const listMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

/** Encodes built-in kinds in Kubernetes' protobuf. Supports only kinds for which `hasProtobuf` is true. */
export class ProtobufEncoder {
  readonly #wire: Wire;

  /** Use `loadProtobufEncoder`. */
  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Encodes an object in its envelope. */
  object(object: Kinded): Buffer {
    return this.enveloped(object, this.item(object));
  }

  /** Adds the envelope to an encoded object: the magic number and a `runtime.Unknown`. */
  enveloped({ apiVersion = '', kind = '' }: Kinded, raw: Uint8Array): Buffer {
    const writer = new WireWriter(this.#wire);
    writer.message(1, () => {
      writer.text(1, apiVersion);
      writer.text(2, kind);
    });
    writer.bytes(2, raw);
    return Buffer.concat([magic, writer.finish()]);
  }

  /** Encodes an object as a list item, without envelope. */
  item(object: Kinded): Uint8Array {
    const { apiVersion = '', kind = '' } = object;
    const type = messageOf(apiVersion, kind);
    if (type === undefined) throw new Error(`there is no protobuf of ${apiVersion} ${kind}`);
    const encoder = this.#encoder();
    encoder.inside(type, object);
    return encoder.writer.finish();
  }

  /** Encodes a list in its envelope. */
  list({ metadata, items, ...kind }: EncodedList): Buffer {
    const encoder = this.#encoder();
    const [metadataField, itemsField] = listFields(kind);
    encoder.message(metadataField, listMeta, metadata);
    for (const item of items) encoder.writer.bytes(itemsField, item);
    return this.enveloped(kind, encoder.writer.finish());
  }

  /** Encodes a watch event around an object in its envelope; a length of four bytes precedes it. */
  watchEvent(type: string, object: Buffer): Buffer {
    const writer = new WireWriter(this.#wire);
    writer.text(1, type);
    writer.message(2, () => writer.bytes(1, object));
    const event = writer.finish();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  }

  #encoder(): MessageEncoder {
    return new MessageEncoder(readMessages(), new WireWriter(this.#wire));
  }
}

/** The numbers of the fields of a list. Every kind has the same, except one of a former version. */
function listFields({ apiVersion }: Kinded): readonly [metadata: number, items: number] {
  return apiVersion === 'meta.k8s.io/v1beta1' ? [2, 1] : [1, 2];
}

/** Returns the encoder. The protobuf library is loaded on the first call. */
export const loadProtobufEncoder: () => Promise<ProtobufEncoder> = lazy(
  async () => new ProtobufEncoder(await import('@bufbuild/protobuf/wire')),
);

/** True for kinds with a protobuf encoding. */
export function hasProtobuf({ apiVersion = '', kind = '' }: Kinded): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}
