import type { BinaryReader } from '@bufbuild/protobuf/wire';
import type { MessageField, MessagesFile } from './message-type.ts';
import { alternatives, rawFields, specialMessages } from './special-messages.ts';
import { integerOf } from '@keelson/structural-schema';

/** The reader of a body and the messages that it may contain. */
export interface MessageSource {
  readonly messages: MessagesFile;
  readonly reader: BinaryReader;
}

type Members = Record<string, unknown>;

/** Decodes a message up to `end` into the JSON of the same object. */
export function decodeMessage(source: MessageSource, type: string, end: number): unknown {
  const { reader, messages } = source;
  const special = specialMessages[type];
  if (special !== undefined) return special(rawFields(reader, end));
  const fields = alternatives[type] ?? messages[type];
  if (fields === undefined) throw new Error(`there is no message ${type}`);
  const members = Object.create(null) as Members;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = fields.find(([candidate]) => candidate === number);
    if (field === undefined) reader.skip(wireType, number);
    else readField(source, field, members);
  }
  return alternatives[type] === undefined ? members : presentAlternative(members, fields);
}

function readField(source: MessageSource, [, name, type]: MessageField, members: Members): void {
  if (type.startsWith('[]')) {
    const list = (members[name] ??= []) as unknown[];
    list.push(readValue(source, type.slice(2)));
    return;
  }
  if (type.startsWith('{}')) {
    const map = (members[name] ??= Object.create(null)) as Members;
    const [entryKey, value] = readEntry(source, type.slice(2));
    map[entryKey] = value;
    return;
  }
  const pointer = type.startsWith('*');
  const value = readValue(source, pointer ? type.slice(1) : type);
  if (name === '') {
    Object.assign(members, value);
    return;
  }
  // Go encodes a field without a pointer even if it is empty; its JSON omits the field.
  if (pointer || !isEmpty(value)) members[name] = value;
}

function readValue(source: MessageSource, type: string): unknown {
  const { reader } = source;
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int':
      return integerOf(BigInt(reader.int64()));
    case 'double':
      return reader.double();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return readMessage(source, type);
  }
}

function readMessage(source: MessageSource, type: string): unknown {
  const { reader } = source;
  const end = reader.uint32() + reader.pos;
  if (!type.startsWith('(')) return decodeMessage(source, type, end);
  const items: unknown[] = [];
  while (reader.pos < end) {
    reader.tag();
    items.push(readValue(source, type.slice(1, -1)));
  }
  return items;
}

/** Reads an entry of a map, a message of key and value. The value may be missing if it is empty. */
function readEntry(source: MessageSource, type: string): [string, unknown] {
  const { reader } = source;
  const end = reader.uint32() + reader.pos;
  let key = '';
  let value: unknown = type === 'string' || type === 'bytes' ? '' : undefined;
  while (reader.pos < end) {
    const [number] = reader.tag();
    if (number === 1) key = reader.string();
    else value = readValue(source, type);
  }
  return [key, value];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Returns the first present member of a message whose JSON is one of its members. */
function presentAlternative(members: Members, fields: readonly MessageField[]): unknown {
  const found = fields.find(([, name]) => members[name] !== undefined);
  return found && members[found[1]];
}
