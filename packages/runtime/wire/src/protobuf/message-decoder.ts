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

/** Reads a message up to `reader.to` and adds its members to `object`, as `MessageDecoder` decodes them. */
export function decodeMessage(reader: ProtobufReader, type: MessageType, object: object): void {
  const slots = new MessageDecoder(reader).slots(type);
  addMembers(type, slots, object as Record<string, unknown>);
}

/** Decodes messages to the objects that kube-apiserver writes as JSON, with their members in the same order. */
class MessageDecoder {
  readonly #reader: ProtobufReader;
  #messages = 0;

  constructor(reader: ProtobufReader) {
    this.#reader = reader;
  }

  slots(type: MessageType): Slots {
    const reader = this.#reader;
    if (++this.#messages > MAX_MESSAGES) throw malformedObject('too many messages');
    const slots: Slots = type.slots.slice();
    while (reader.at < reader.to) {
      const tag = reader.small();
      const field = type.byNumber[tag >>> 3];
      if (field === undefined) throw malformedObject('unknown field');
      this.#read(field, tag & 7, slots);
    }
    return slots;
  }

  #read(field: MessageField, wireType: number, slots: Slots): void {
    const { index, shape, letter } = field;
    const isNumber = letter === 'i' || letter === 'b';
    if (shape === '[') {
      const items = (slots[index] ??= []) as unknown[];
      if (isNumber && wireType === BYTES) this.#readPacked(field, items);
      else items.push(this.#value(field, wireType));
    } else if (shape === '{') {
      this.#readEntry(field, wireType, (slots[index] ??= new Map()) as Map<string, unknown>);
    } else {
      const isRepeated = slots[index] !== undefined && letter === 'm';
      // Protobuf permits to send a message in parts, which a reader merges. Kubernetes never does.
      if (isRepeated) throw malformedObject('a field occurs twice');
      slots[index] = this.#value(field, wireType);
    }
  }

  #value({ letter, message, shape }: MessageField, wireType: number): unknown {
    const reader = this.#reader;
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
    const read = message === undefined ? specialValue(reader, letter) : this.slots(message);
    reader.to = outer;
    if (message === undefined || shape === '-') return read;
    const object: Record<string, unknown> = letter === 'k' ? { ...CLAIM_TYPE } : {};
    addMembers(message, read as Slots, object);
    return object;
  }

  #readPacked(field: MessageField, items: unknown[]): void {
    const reader = this.#reader;
    const end = reader.end();
    while (reader.at < end) items.push(this.#value(field, VARINT));
    if (reader.at > end) throw malformedObject('the object is cut off');
  }

  #readEntry(field: MessageField, wireType: number, entries: Map<string, unknown>): void {
    const reader = this.#reader;
    if (wireType !== BYTES) throw malformedObject('unknown wire type');
    const end = reader.end();
    const outer = reader.to;
    reader.to = end;
    let key = '';
    let value: unknown;
    while (reader.at < end) {
      const tag = reader.small();
      if (tag >>> 3 === KEY && (tag & 7) === BYTES) key = reader.text(reader.end());
      else if (tag >>> 3 === VALUE) value = this.#value(field, tag & 7);
      else throw malformedObject('unknown field');
    }
    reader.to = outer;
    entries.set(key, value === undefined ? emptyEntry(field) : value);
  }
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
function objectOf(entries: Map<string, unknown>): object {
  const object: Record<string, unknown> = {};
  for (const [key, value] of isSorted(entries) ? entries : sorted(entries)) {
    if (key === '__proto__') defineMember(object, key, value);
    else object[key] = value;
  }
  return object;
}

/** True if the entries need no sorting, which is usual because Kubernetes sends maps sorted. */
function isSorted(entries: Map<string, unknown>): boolean {
  let previous = '';
  for (const key of entries.keys()) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

function sorted(entries: Map<string, unknown>): [string, unknown][] {
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
