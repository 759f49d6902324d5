import { jsonText } from '@keelson/structural-schema';
import type { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Encodes a JSON value as a field of a message; lists become repeated fields. */
export type Encode = (writer: BinaryWriter, field: number, value: unknown) => void;

/** Number and encoding of each member, by JSON name and in ascending order of the numbers. */
export type Fields = Readonly<Record<string, readonly [number, Encode]>>;

/** Key of the entry that encodes the members with the prefix `x-`. */
const extensions = 'x-';

export const text: Encode = repeated((writer, field, value) => {
  lengthDelimited(writer, field).string(String(value));
});

export const truth: Encode = (writer, field, value) => {
  writer.uint32(field << 3).bool(value === true);
};

export const integer: Encode = (writer, field, value) => {
  writer.uint32(field << 3).int64(Number(value));
};

export const double: Encode = (writer, field, value) => {
  writer.uint32((field << 3) | 1).double(Number(value));
};

/** Encodes any value as YAML text; JSON is valid YAML. */
export const any: Encode = (writer, field, value) => {
  nested(writer, field, () => text(writer, 2, jsonText(value)));
};

/** Encodes a list of any values. */
export const anys: Encode = repeated(any);

/** Encodes an object as a message. A function returns the fields because schemas are recursive. */
export function message(fields: () => Fields): Encode {
  return repeated((writer, field, value) => {
    nested(writer, field, () => writeMembers(writer, fields(), value as object));
  });
}

/** Encodes the value as the only field of a message. */
export function wrapped(number: number, encode: Encode): Encode {
  return (writer, field, value) => nested(writer, field, () => encode(writer, number, value));
}

/** Encodes an object as a map message: a repeated field of name and value pairs. */
export function mapOf(encode: Encode, number = 1): Encode {
  return (writer, field, value) => {
    nested(writer, field, () =>
      writePairs(writer, number, Object.entries(value as object), encode),
    );
  };
}

function repeated(encode: Encode): Encode {
  return (writer, field, value) => {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      encode(writer, field, item);
    }
  };
}

function writeMembers(writer: BinaryWriter, fields: Fields, value: object): void {
  for (const [name, [number, encode]] of Object.entries(fields)) {
    if (name === extensions) writePairs(writer, number, extensionsOf(value), encode);
    else if (Object.hasOwn(value, name)) encode(writer, number, Reflect.get(value, name));
  }
}

function extensionsOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([name]) => name.startsWith(extensions));
}

function writePairs(
  writer: BinaryWriter,
  field: number,
  pairs: readonly (readonly [string, unknown])[],
  encode: Encode,
): void {
  for (const [name, value] of pairs) {
    nested(writer, field, () => {
      text(writer, 1, name);
      encode(writer, 2, value);
    });
  }
}

function nested(writer: BinaryWriter, field: number, write: () => void): void {
  lengthDelimited(writer, field).fork();
  write();
  writer.join();
}

/** Writes the tag of a length-delimited field. */
function lengthDelimited(writer: BinaryWriter, field: number): BinaryWriter {
  return writer.uint32((field << 3) | 2);
}
