import type { BinaryReader } from '@bufbuild/protobuf/wire';
import type { MessageField } from './message-type.ts';
import { parseExact } from '@keelson/structural-schema';

/** The undecoded fields of a message by number; the last value of a number wins. */
export type RawFields = ReadonlyMap<number, bigint | Uint8Array>;

/** Converts a message with a special JSON form to that JSON. */
export type SpecialDecoder = (fields: RawFields) => unknown;

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Decoders by message, for messages whose JSON is not an object with their fields. */
export const specialMessages: Readonly<Record<string, SpecialDecoder>> = {
  [`${meta}.Time`]: (fields) => time(fields, 0),
  [`${meta}.MicroTime`]: (fields) => time(fields, 6),
  [`${meta}.Duration`]: (fields) => `${number(fields, 1) / 1e9}s`,
  [`${meta}.FieldsV1`]: raw,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (fields) => text(fields, 1),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': (fields) =>
    number(fields, 1) === 0 ? number(fields, 2) : text(fields, 3),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': raw,
  [`${extensions}.JSON`]: raw,
};

const schema: MessageField = [1, 'schema', `*${extensions}.JSONSchemaProps`];

/** Messages whose JSON is their first present member, in this order. */
export const alternatives: Readonly<Record<string, readonly MessageField[]>> = {
  [`${extensions}.JSONSchemaPropsOrArray`]: [
    schema,
    [2, 'schemas', `[]${extensions}.JSONSchemaProps`],
  ],
  [`${extensions}.JSONSchemaPropsOrBool`]: [
    [2, 'schema', `*${extensions}.JSONSchemaProps`],
    [1, 'allows', '*bool'],
  ],
  [`${extensions}.JSONSchemaPropsOrStringArray`]: [schema, [2, 'names', '[]string']],
};

const varint = 0;
const lengthDelimited = 2;

/** Reads the fields of a message without its type. */
export function rawFields(reader: BinaryReader, end: number): RawFields {
  const fields = new Map<number, bigint | Uint8Array>();
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    const type: number = wireType;
    if (type === varint) fields.set(field, BigInt(reader.int64()));
    else if (type === lengthDelimited) fields.set(field, reader.bytes());
    else reader.skip(wireType, field);
  }
  return fields;
}

/** Returns `undefined` for the zero time, which JSON omits. */
function time(fields: RawFields, digits: 0 | 6): string | undefined {
  if (fields.size === 0) return undefined;
  const seconds = number(fields, 1);
  const instant = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${instant}Z`;
  const micros = Math.floor(number(fields, 2) / 1000);
  return `${instant}.${String(micros).padStart(digits, '0')}Z`;
}

function raw(fields: RawFields): unknown {
  const json = text(fields, 1);
  return json === '' ? undefined : parseExact(json);
}

function number(fields: RawFields, field: number): number {
  const value = fields.get(field);
  return typeof value === 'bigint' ? Number(value) : 0;
}

function text(fields: RawFields, field: number): string {
  const value = fields.get(field);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : '';
}
