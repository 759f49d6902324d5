import { canonicalQuantity, quantitySyntaxMessage } from '@keelson/cel/internal';
import { goKind } from '../json/json-syntax-error.ts';
import {
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NumberText,
} from '@keelson/structural-schema';
import { DecodeError } from './decode-error.ts';
import type { Field, Scalar, SchemaType, StructType } from './schema-type.ts';
import { canonicalMicroTime, canonicalTime } from './time.ts';
import { decodeNumbers } from '../json/decode-numbers.ts';

/** Position of the decoder. Go reports the innermost struct and the path without indices. */
interface Place {
  readonly struct: string;
  readonly path: string;
  /** The errors after which Go's decoder continues. It reports the first of them, unless it meets one that ends it. */
  readonly saved: DecodeError[];
}

/**
 * Decodes an object in place as the typed server does. Checks types, normalizes quantities and times, and drops unknown
 * fields. Drops or adds null and zero values by the Go type. Throws the `DecodeError` that Go reports.
 */
export function decode(type: StructType, object: JsonObject): void {
  const saved: DecodeError[] = [];
  try {
    decodeStruct(type, object, { struct: localName(type.name), path: '', saved });
  } catch (error) {
    const [first] = saved;
    if (first === undefined || !(error instanceof DecodeError)) throw error;
    // Go's converter stops at the first error of any sort.
    throw new DecodeError(error.message, { converted: first.converted, endsDecoder: true });
  }
  if (saved[0] !== undefined) throw saved[0];
}

/** Fields that are validated otherwise if they are present and empty. `clearEmptyFields` drops them after the validation. */
const keptWhenEmpty: ReadonlySet<string> = new Set([
  'autoscaling.v2.HPAScalingRules.policies',
  'core.v1.PersistentVolumeSpec.capacity',
  ...[
    'allOf',
    'anyOf',
    'definitions',
    'dependencies',
    'enum',
    'oneOf',
    'patternProperties',
    'x-kubernetes-list-map-keys',
  ].map((keyword) => `apiextensions.v1.JSONSchemaProps.${keyword}`),
]);

function decodeStruct(type: StructType, object: JsonObject, place: Place): void {
  for (const key of Object.keys(object)) {
    const field = type.fields.get(key);
    if (field === undefined || object[key] === null) {
      delete object[key];
      continue;
    }
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const at = { struct: place.struct, path, saved: place.saved };
    const value = decodeValue(field.type, object[key] as JsonValue, at);
    if (field.empty === 'dropped' && isZero(value) && !isKept(type, key, value)) delete object[key];
    else object[key] = value;
  }
  for (const [key, field] of type.present) {
    if (object[key] === undefined) object[key] = zeroOf(field);
  }
}

function isKept({ name }: StructType, key: string, value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && keptWhenEmpty.has(`${name}.${key}`);
}

/** Returns null in place of an invalid value after which Go's decoder continues. */
function decodeValue(type: SchemaType, value: JsonValue, place: Place): JsonValue {
  try {
    return readValue(type, value, place);
  } catch (error) {
    if (!(error instanceof DecodeError) || error.endsDecoder) throw error;
    place.saved.push(error);
    return null;
  }
}

function readValue(type: SchemaType, value: JsonValue, place: Place): JsonValue {
  switch (type.kind) {
    case 'untyped':
      return decodeNumbers(value) as JsonValue;
    case 'scalar':
      return value === null ? zeroScalar(type.scalar) : decodeScalar(type.scalar, value, place);
    case 'list':
      if (value === null) return null;
      if (!Array.isArray(value)) throw mismatch(value, type, place);
      return value.map((item) => decodeValue(type.item, item, place));
    case 'map':
      if (value === null) return null;
      if (!isJsonObject(value)) throw mismatch(value, type, place);
      for (const key of Object.keys(value)) {
        value[key] =
          decodeValue(type.value, value[key] as JsonValue, place) ?? zeroInMap(type.value);
      }
      return value;
    case 'struct':
      return decodeStructValue(type, value ?? {}, place);
  }
}

/** Bytes in a map are empty instead of null, because the protobuf of the storage has no null. */
function zeroInMap(type: SchemaType): JsonValue {
  return type.kind === 'scalar' && type.scalar === 'bytes' ? '' : null;
}

function decodeStructValue(type: StructType, value: JsonValue, place: Place): JsonValue {
  if (!isJsonObject(value)) throw mismatch(value, type, place);
  decodeStruct(type, value, { ...place, struct: localName(type.name) });
  return value;
}

function decodeScalar(scalar: Scalar, value: JsonValue, place: Place): JsonValue {
  switch (scalar) {
    case 'string':
    case 'formatted':
      return expectType(value, 'string', 'string', place);
    case 'boolean':
      return expectType(value, 'boolean', 'bool', place);
    case 'double':
      return expectDouble(value, place);
    case 'int32':
    case 'int64':
      return expectInteger(value, scalar, place);
    case 'intOrString':
      return typeof value === 'string'
        ? value
        : ownDecoder(() => expectInteger(value, 'int32', place), unreadable(value), 'int32');
    case 'bytes':
      return Array.isArray(value)
        ? bytesOf(value, place)
        : decodeBytes(expectType(value, 'string', '[]uint8', place));
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
      return canonicalTime(timeText(value, place));
    case 'microTime':
      return canonicalMicroTime(timeText(value, place));
  }
}

function timeText(value: JsonValue, place: Place): string {
  return ownDecoder(() => expectType(value, 'string', 'string', place), goKind(value), 'string');
}

/** Names the value that a decoder of numbers cannot read: a number by its digits, another value by its kind. */
function unreadable(value: JsonValue): string {
  return isJsonNumber(value) ? `number ${String(value)}` : goKind(value);
}

/** Reads a value of a Go type with a decoder of its own, whose errors end Go's decoder, and which the converter calls too. */
function ownDecoder<T>(read: () => T, what: string, goType: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const converted = `json: cannot unmarshal ${what} into Go value of type ${goType}`;
    throw new DecodeError(error.message, { converted, endsDecoder: true });
  }
}

function expectType<T extends 'string' | 'boolean'>(
  value: JsonValue,
  type: T,
  goType: string,
  place: Place,
): JsonValue & (T extends 'string' ? string : boolean) {
  if (typeof value !== type) throw cannotUnmarshal(value, goType, place);
  return value as JsonValue & (T extends 'string' ? string : boolean);
}

function expectDouble(value: JsonValue, place: Place): number {
  if (!isJsonNumber(value)) throw cannotUnmarshal(value, 'float64', place);
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw cannotUnmarshal(value, 'float64', place, `number ${String(value)}`);
}

/** Rejects `1.0` in a body, as Go does. Results of strategic patches and applies hold the number 1 instead. */
function expectInteger(value: JsonValue, scalar: 'int32' | 'int64', place: Place): number | bigint {
  if (!isJsonNumber(value)) throw cannotUnmarshal(value, scalar, place);
  const number = value instanceof NumberText ? value.value : value;
  const isWritten = !(value instanceof NumberText) || value.isInteger;
  if (isWritten && isWhole(number) && fitsBits(number, scalar === 'int32' ? 31 : 63)) {
    return number;
  }
  throw cannotUnmarshal(value, scalar, place, `number ${String(value)}`);
}

function isWhole(number: number | bigint): boolean {
  return typeof number === 'bigint' || Number.isInteger(number);
}

function fitsBits(number: number | bigint, bits: number): boolean {
  return number >= -(2 ** bits) && number < 2 ** bits;
}

function decodeBytes(text: string): string {
  const bad = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (bad !== -1) throw notBase64(bad);
  const plain = text.replaceAll(/[\r\n]/g, '');
  if (plain.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(plain)) {
    throw notBase64(plain.length - (plain.length % 4));
  }
  return plain;
}

/** Reads a list of numbers as Go does: null is 0. */
function bytesOf(items: readonly JsonValue[], place: Place): string {
  const bytes = items.map((item) => {
    if (item === null) return 0;
    if (!isJsonNumber(item)) throw cannotUnmarshal(item, 'uint8', place);
    const number = Number(item);
    if (Number.isInteger(number) && number >= 0 && number <= 255) return number;
    throw cannotUnmarshal(item, 'uint8', place, `number ${String(item)}`);
  });
  return Buffer.from(bytes).toString('base64');
}

function notBase64(at: number): DecodeError {
  const message = `illegal base64 data at input byte ${at}`;
  return new DecodeError(message, { converted: `error decoding from json: ${message}` });
}

function decodeQuantity(value: JsonValue): string {
  const text = isJsonNumber(value) ? String(value) : value;
  const quantity = typeof text === 'string' ? canonicalQuantity(text) : undefined;
  if (quantity === undefined) throw new DecodeError(quantitySyntaxMessage, { endsDecoder: true });
  return quantity;
}

function isZero(value: JsonValue): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The value that the server writes for a field without value. */
export function zeroOf(field: Field): JsonValue {
  if (field.empty === 'null') return null;
  const { type } = field;
  if (type.kind === 'scalar') return zeroScalar(type.scalar);
  return type.kind === 'struct' ? zeroObject(type) : null;
}

/** Returns an object of a type with its zero values; the typed server compares new objects with it. */
export function zeroObject(type: StructType): JsonObject {
  const object: JsonObject = {};
  for (const [key, field] of type.present) object[key] = zeroOf(field);
  return object;
}

function zeroScalar(scalar: Scalar): JsonValue {
  switch (scalar) {
    case 'string':
    case 'formatted':
      return '';
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'bytes':
    case 'time':
    case 'microTime':
      return null;
  }
}

function mismatch(value: JsonValue, type: SchemaType, place: Place): DecodeError {
  const wanted = type.kind === 'list' ? 'slice from' : `${type.kind} from`;
  const read = convertedKind(value);
  const converted = `cannot restore ${wanted}${type.kind === 'struct' ? ':' : ''} ${read}`;
  return new DecodeError(unmarshalText(goKind(value), goTypeOf(type), place), { converted });
}

function cannotUnmarshal(
  value: JsonValue,
  goType: string,
  place: Place,
  what = goKind(value),
): DecodeError {
  return new DecodeError(unmarshalText(what, goType, place), {
    converted: convertText(value, goType),
  });
}

function unmarshalText(what: string, goType: string, { struct, path }: Place): string {
  return `json: cannot unmarshal ${what} into Go struct field ${struct}.${path} of type ${goType}`;
}

/** Imitates Go's converter, which converts between numbers, and from an integer to a string. */
export function convertText(value: JsonValue, goType: string): string {
  if (goType === '[]uint8') return `cannot restore slice from ${convertedKind(value)}`;
  const kind = convertedKind(value);
  const isClose = isJsonNumber(value) && (goType !== 'string' || kind === 'int64');
  return isClose && goType !== 'bool'
    ? `cannot convert ${kind} to ${goType}`
    : `unrecognized type: ${goType}`;
}

/** The Go type into which a JSON value is decoded. */
function convertedKind(value: JsonValue): string {
  if (isJsonNumber(value))
    return isWhole(value instanceof NumberText ? value.value : value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'string' ? 'string' : 'map';
}

function goTypeOf(type: SchemaType): string {
  switch (type.kind) {
    case 'struct':
      return type.name.slice(type.name.indexOf('.') + 1);
    case 'list':
      return `[]${goTypeOf(type.item)}`;
    case 'map':
      return `map[string]${goTypeOf(type.value)}`;
    case 'scalar':
      return goScalars[type.scalar];
    case 'untyped':
      return 'interface {}';
  }
}

const goScalars: Record<Scalar, string> = {
  string: 'string',
  formatted: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
};

function localName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
