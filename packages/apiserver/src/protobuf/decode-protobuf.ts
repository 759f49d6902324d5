import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../schema/data-file.ts';
import { lazy } from '../schema/lazy.ts';
import { decodeMessage } from './decode-message.ts';
import type { MessagesFile } from './message-type.ts';

/** The media type in which typed Go clients, kubectl among them, send built-in kinds. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** Every body begins so; a `runtime.Unknown` follows. */
const magic = Buffer.from('k8s\0');

const readMessages = lazy(
  () =>
    JSON.parse(brotliDecompressSync(readDataFile('messages.json.br')).toString()) as MessagesFile,
);

/**
 * Decodes a body in Kubernetes' protobuf envelope into the JSON that the same object has. `undefined`
 * where it is no such body, or of a kind that has no protobuf. The reader of the wire format is loaded
 * with the first body.
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
  const messages = readMessages();
  const type = messageOf(messages, apiVersion, kind);
  if (type === undefined) return undefined;
  const source = { messages, reader: new BinaryReader(raw) };
  return { apiVersion, kind, ...(decodeMessage(source, type, raw.length) as object) };
}

/** `rbac.authorization.k8s.io/v1` and `Role` → `io.k8s.api.rbac.v1.Role`. */
function messageOf(messages: MessagesFile, apiVersion: string, kind: string): string | undefined {
  const [group, version] = (apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`).split(
    '/',
  );
  const names = [
    `io.k8s.api.${group?.split('.', 1)[0]}.${version}.${kind}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`,
    `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`,
  ];
  return names.find((name) => messages[name] !== undefined);
}
