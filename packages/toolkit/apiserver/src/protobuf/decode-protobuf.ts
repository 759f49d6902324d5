import { decodeMessage } from './decode-message.ts';
import { messageOf, readMessages } from './messages.ts';

/** The media type in which typed Go clients, such as kubectl, send built-in kinds. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** The first bytes of every body; a `runtime.Unknown` follows them. */
export const magic: Buffer = Buffer.from('k8s\0');

/**
 * Decodes a body in Kubernetes' protobuf envelope into the JSON of the same object. Returns `undefined` for another
 * format or a kind without protobuf. The protobuf library is loaded for the first body.
 */
export async function decodeProtobuf(body: Buffer): Promise<Record<string, unknown> | undefined> {
  if (!body.subarray(0, magic.length).equals(magic)) return undefined;
  const { BinaryReader } = await import('@bufbuild/protobuf/wire');
  const reader = new BinaryReader(body.subarray(magic.length));
  let apiVersion = '';
  let kind = '';
  let raw: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner] = reader.tag();
        if (inner === 1) apiVersion = reader.string();
        else kind = reader.string();
      }
    } else if (number === 2) raw = reader.bytes();
    else reader.skip(wireType, number);
  }
  const type = messageOf(apiVersion, kind);
  if (type === undefined) return undefined;
  const source = { messages: readMessages(), reader: new BinaryReader(raw) };
  return { apiVersion, kind, ...(decodeMessage(source, type, raw.length) as object) };
}
