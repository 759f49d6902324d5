import { malformedObject } from '../json/json-bytes.ts';
import type { MessageField, MessageType } from './message-type.ts';
import { BYTES, VARINT, type ProtobufReader } from './protobuf-reader.ts';
import { emptyValue, specialValue } from './special-value.ts';

/** The value of each field of a message, by its index; `undefined` for a field without a value. */
type Slots = unknown[];

/**
 * The most messages in one object, many times as many as in 64 MiB of real objects. The limit of bytes does not
 * suffice, because a message of two bytes may become an object of many members.
 */
const MAX_MESSAGES = 1_000_000;

const KEY = 1;
const VALUE = 2;

/**
 * Reads a message up to `reader.to` and adds its members to `object`: the members that kube-apiserver writes as JSON, in
 * the same order.
 */
export function decodeMessage(reader: ProtobufReader, type: MessageType, object: object): void {
  addMembers(type, slotsOf(reader, type), object as Record<string, unknown>);
}

/** Reads the fields of a message. */
function slotsOf(reader: ProtobufReader, type: MessageType): Slots {
  reader.messages += 1;
  if (reader.messages > MAX_MESSAGES) throw malformedObject('too many messages');
  const slots: Slots = type.slots.slice();
  while (reader.at < reader.to) {
    const tag = reader.small();
    const field = type.byNumber[tag >>> 3];
    if (field === undefined) throw malformedObject('unknown field');
    readField(reader, field, tag & 7, slots);
  }
  return slots;
}

function readField(
  reader: ProtobufReader,
  field: MessageField,
  wireType: number,
  slots: Slots,
): void {
  const { index, shape, letter } = field;
  const isNumber = letter === 'i' || letter === 'b';
  if (shape === '[') {
    const items = (slots[index] ??= []) as unknown[];
    if (isNumber && wireType === BYTES) readPacked(reader, field, items);
    else items.push(valueOf(reader, field, wireType));
  } else if (shape === '{') {
    const entries = (slots[index] ??= new Map()) as Map<string, unknown>;
    readEntry(reader, field, wireType, entries);
  } else {
    const isRepeated = slots[index] !== undefined && letter === 'm';
    // Protobuf permits to send a message in parts, which a reader merges. Kubernetes never does.
    if (isRepeated) throw malformedObject('a field occurs twice');
    slots[index] = valueOf(reader, field, wireType);
  }
}

function valueOf(
  reader: ProtobufReader,
  { letter, message, shape }: MessageField,
  wireType: number,
): unknown {
  if (letter === 'i' || letter === 'b') {
    if (wireType !== VARINT) throw malformedObject('unknown wire type');
    const value = reader.integer();
    return letter === 'i' ? value : value !== 0;
  }
  if (wireType !== BYTES) throw malformedObject('unknown wire type');
  const end = reader.end();
  if (letter === 's') return reader.text(end);
  const outer = reader.to;
  reader.to = end;
  const read = message === undefined ? specialValue(reader, letter) : slotsOf(reader, message);
  reader.to = outer;
  if (message === undefined || shape === '-') return read;
  const object: Record<string, unknown> = letter === 'k' ? { ...CLAIM_TYPE } : {};
  addMembers(message, read as Slots, object);
  return object;
}

function readPacked(reader: ProtobufReader, field: MessageField, items: unknown[]): void {
  const end = reader.end();
  while (reader.at < end) items.push(valueOf(reader, field, VARINT));
  if (reader.at > end) throw malformedObject('the object is cut off');
}

function readEntry(
  reader: ProtobufReader,
  field: MessageField,
  wireType: number,
  entries: Map<string, unknown>,
): void {
  if (wireType !== BYTES) throw malformedObject('unknown wire type');
  const end = reader.end();
  const outer = reader.to;
  reader.to = end;
  let key = '';
  let value: unknown;
  while (reader.at < end) {
    const tag = reader.small();
    if (tag >>> 3 === KEY && (tag & 7) === BYTES) key = reader.text(reader.end());
    else if (tag >>> 3 === VALUE) value = valueOf(reader, field, tag & 7);
    else throw malformedObject('unknown field');
  }
  reader.to = outer;
  entries.set(key, value === undefined ? emptyEntry(field) : value);
}

/** kube-apiserver sets the type of the claims in a StatefulSet. Protobuf has no field for it. */
const CLAIM_TYPE = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };

function addMembers(type: MessageType, slots: Slots, object: Record<string, unknown>): void {
  const { fields } = type;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as MessageField;
    const value = slots[index];
    if (field.shape === '-') {
      addMembers(field.message as MessageType, (value ?? []) as Slots, object);
    } else if (value === undefined) {
      if (!field.isOmitted) object[field.name] = emptyMember(field);
    } else if (field.shape === '.') {
      // Go's encoder omits these values with `omitempty`. A time is empty only as `null`; a message never is.
      const isEmpty = value === '' || value === 0 || value === false || value === null;
      if (!field.isOmitted || !isEmpty) object[field.name] = value;
    } else {
      object[field.name] = field.shape === '{' ? objectOf(value as Map<string, unknown>) : value;
    }
  }
}

/** The JSON of a member whose field was not sent, but which Go's encoder writes. */
function emptyMember({ shape, letter, message }: MessageField): unknown {
  if (shape !== '.') return null;
  return message === undefined ? emptyValue(letter) : emptyMessage(message);
}

/** The JSON of a map's value that was not sent. A list is `[]` here, whereas as a member it would be `null`. */
function emptyEntry({ letter, message }: MessageField): unknown {
  if (message !== undefined) return emptyMessage(message);
  if (letter === 'y') return '';
  return letter === 'w' ? [] : emptyValue(letter);
}

function emptyMessage(type: MessageType): object {
  const object = {};
  addMembers(type, [], object);
  return object;
}

/** Returns the members of a map in the order of Go's encoder: sorted by the bytes of their names. */
function objectOf(entries: Iterable<readonly [string, unknown]>, isSorted = false): object {
  const object: Record<string, unknown> = {};
  let previous = '';
  for (const [key, value] of entries) {
    // Unusual, because Kubernetes sends maps sorted.
    if (key < previous && !isSorted) return objectOf(sorted(entries), true);
    previous = key;
    if (key === '__proto__') defineMember(object, key, value);
    else object[key] = value;
  }
  return object;
}

function sorted(entries: Iterable<readonly [string, unknown]>): (readonly [string, unknown])[] {
  return [...entries].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Adds the member `__proto__`, as `JSON.parse` does. An assignment would change the prototype of the object. */
function defineMember(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
