import { decodeMessage } from './decode-message.ts';
import { messageOf, readMessages } from './messages.ts';

/** The media type in which typed Go clients, such as kubectl, send built-in kinds. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** The first bytes of every body; a `runtime.Unknown` follows them. */
export const magic: Buffer = Buffer.from('k8s\0');

/** An object in protobuf with its type. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/**
 * Decodes a body in Kubernetes' protobuf envelope into the JSON of the same object. An object of an unknown kind has no members
 * but its kind. Throws a `SyntaxError` for a body without the envelope. The protobuf library is loaded for the first body.
 */
export async function decodeProtobuf(body: Buffer): Promise<Record<string, unknown>> {
  const { apiVersion, kind, raw } = await envelopeOf(body);
  const type = messageOf(apiVersion, kind);
  if (type === undefined) return { apiVersion, kind };
  const { BinaryReader } = await import('@bufbuild/protobuf/wire');
  const source = { messages: readMessages(), reader: new BinaryReader(raw) };
  return { apiVersion, kind, ...(decodeMessage(source, type, raw.length) as object) };
}

async function envelopeOf(body: Buffer): Promise<ProtobufEnvelope> {
  if (body.length === 0) throw new SyntaxError('empty data');
  if (!body.subarray(0, magic.length).equals(magic)) {
    const prefix = [...magic].join(' ');
    throw new SyntaxError(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix}]`,
    );
  }
  if (body.length === magic.length) throw new SyntaxError('empty body');
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
  return { apiVersion, kind, raw };
}
