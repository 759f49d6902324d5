import { malformedObject, parseUnscannedRange } from '../json/json-bytes.ts';
import type { MessageField, MessageType, ValueLetter } from './message-type.ts';
import { BYTES, VARINT, type ProtobufReader } from './protobuf-reader.ts';

/** The value of each field of a message, by its index; `undefined` for a field without a value. */
type Slots = unknown[];

/** The entries of a map that have been read. */
interface Entries {
  readonly members: Record<string, unknown>;
  /** The name of the last entry. */
  last: string;
  /** True if the entries came in the order of their names. */
  isSorted: boolean;
}

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
    if (field.isText && (tag & 7) === BYTES) slots[field.index] = reader.text(reader.end());
    else readField(reader, field, tag & 7, slots);
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
    const entries = (slots[index] ??= { members: {}, last: '', isSorted: true }) as Entries;
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
  entries: Entries,
): void {
  if (wireType !== BYTES) throw malformedObject('unknown wire type');
  const end = reader.end();
  const outer = reader.to;
  reader.to = end;
  let key = '';
  let value: unknown;
  while (reader.at < end) {
    const tag = reader.small();
    if (tag >>> 3 === KEY && (tag & 7) === BYTES) key = reader.name(reader.end());
    else if (tag >>> 3 === VALUE) value = valueOf(reader, field, tag & 7);
    else throw malformedObject('unknown field');
  }
  reader.to = outer;
  // Unusual, because Kubernetes sends maps sorted.
  if (key < entries.last) entries.isSorted = false;
  entries.last = key;
  const sent = value === undefined ? emptyEntry(field) : value;
  if (key === '__proto__') defineMember(entries.members, key, sent);
  else entries.members[key] = sent;
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
    } else if (field.shape === '{') {
      const { isSorted, members } = value as Entries;
      object[field.name] = isSorted ? members : sorted(members);
    } else {
      object[field.name] = value;
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
function sorted(members: object): object {
  const byBytes = Object.entries(members).toSorted(([a], [b]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return Object.fromEntries(byBytes);
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

/** The number of the field in messages that have only one. */
const CONTENT = 1;
/** The instant that Go prints as `null`: the start of the year 1. */
const ZERO_TIME_SECONDS = -62_135_596_800;
/** The first and the last second whose year has four digits. */
const MIN_SECONDS = -62_167_219_200;
const MAX_SECONDS = 253_402_300_799;
const NANOS_PER_MICRO = 1000;
const NANOS_PER_SECOND = 1_000_000_000;

const SECONDS_PER_DAY = 86_400;
/** Days from 1 March of the year 0 to 1970. */
const DAYS_TO_1970 = 719_468;
const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
const ZERO = 0x30;
/** The two characters of each number below 100, as a number of 16 bits. */
const twoDigits = Array.from(
  { length: 100 },
  (_, number) => (ZERO + Math.trunc(number / 10)) * 256 + ZERO + (number % 10),
);

/** Reads the bytes up to `reader.to` as a type that has a JSON form of its own. */
function specialValue(reader: ProtobufReader, letter: ValueLetter): unknown {
  switch (letter) {
    case 'y':
      return base64(reader);
    case 'q':
      return quantity(reader);
    case 'n':
      return intOrString(reader);
    case 't':
    case 'u':
      return time(reader, letter === 'u');
    case 'w':
      return strings(reader);
    case 'r':
    case 'v':
      return json(reader);
    default:
      reader.at = reader.to;
      return undefined;
  }
}

/** The JSON that Go writes for a value whose field was not sent. */
function emptyValue(letter: ValueLetter): unknown {
  if (letter === 's') return '';
  if (letter === 'b') return false;
  if (letter === 'q') return '0';
  return letter === 'i' || letter === 'n' ? 0 : null;
}

function base64(reader: ProtobufReader): string {
  const { bytes, at, to } = reader;
  reader.at = to;
  return bytes.toString('base64', at, to);
}

/** Reads a Quantity. The server sends its canonical form, which is the form in JSON too. */
function quantity(reader: ProtobufReader): string {
  let text = '0';
  while (reader.at < reader.to) {
    expectContent(reader);
    text = reader.text(reader.end());
  }
  return text;
}

function intOrString(reader: ProtobufReader): number | string {
  const [isString, number, text] = [1, 2, 3];
  let type = 0;
  let int = 0;
  let str = '';
  while (reader.at < reader.to) {
    const tag = reader.small();
    if (tag === isString * 8 + VARINT) type = reader.integer();
    else if (tag === number * 8 + VARINT) int = reader.integer();
    else if (tag === text * 8 + BYTES) str = reader.text(reader.end());
    else throw malformedObject('unknown field');
  }
  if (type !== 0 && type !== 1) throw malformedObject('neither a number nor a string');
  return type === 0 ? int : str;
}

/** Reads a Time or a MicroTime. Go prints an empty message as `null`, and a Time without its fraction of a second. */
function time(reader: ProtobufReader, hasMicros: boolean): string | null {
  if (reader.at === reader.to) return null;
  let seconds = 0;
  let nanos = 0;
  while (reader.at < reader.to) {
    const tag = reader.small();
    if (tag === 8 + VARINT) seconds = reader.integer();
    else if (tag === 16 + VARINT) nanos = reader.integer();
    else throw malformedObject('unknown field');
  }
  const micros = hasMicros ? Math.floor(nanos / NANOS_PER_MICRO) : 0;
  if (seconds === ZERO_TIME_SECONDS && micros === 0) return null;
  const isValid = seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
  if (!isValid || nanos < 0 || nanos >= NANOS_PER_SECOND) throw malformedObject('invalid time');
  return hasMicros ? timeText(seconds, micros) : timeText(seconds);
}

function strings(reader: ProtobufReader): string[] {
  const items: string[] = [];
  while (reader.at < reader.to) {
    expectContent(reader);
    items.push(reader.text(reader.end()));
  }
  return items;
}

function json(reader: ProtobufReader): unknown {
  let value: unknown = null;
  while (reader.at < reader.to) {
    expectContent(reader);
    const end = reader.end();
    value = parseUnscannedRange(reader.bytes, reader.at, end);
    reader.at = end;
  }
  return value;
}

function expectContent(reader: ProtobufReader): void {
  if (reader.small() !== CONTENT * 8 + BYTES) throw malformedObject('unknown field');
}

/** The last time that was printed. Most times of one response have the same date. */
const lastTime = Buffer.from('0000-00-00T00:00:00Z');
/** The positions of its parts. The year has four digits: those of the century come first. */
const [CENTURY, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, END] = [0, 2, 5, 8, 11, 14, 17, 19];
let lastDays = Number.NaN;

/**
 * Prints a time as RFC 3339 in UTC, with microseconds if they are given. The year must have four digits. `Date` takes
 * ten times as long, and an object has many times.
 */
export function timeText(seconds: number, micros?: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const secondOfDay = seconds - days * SECONDS_PER_DAY;
  if (days !== lastDays) writeDate(days);
  const minutes = Math.trunc(secondOfDay / 60);
  const hour = Math.trunc(minutes / 60);
  lastTime.writeUInt16BE(twoDigits[hour] as number, HOUR);
  lastTime.writeUInt16BE(twoDigits[minutes - hour * 60] as number, MINUTE);
  lastTime.writeUInt16BE(twoDigits[secondOfDay - minutes * 60] as number, SECOND);
  if (micros === undefined) return lastTime.toString('latin1');
  return `${lastTime.toString('latin1', 0, END)}.${String(micros).padStart(6, '0')}Z`;
}

function writeDate(days: number): void {
  const { year, month, day } = dateOf(days);
  const century = Math.trunc(year / 100);
  lastTime.writeUInt16BE(twoDigits[century] as number, CENTURY);
  lastTime.writeUInt16BE(twoDigits[year - century * 100] as number, YEAR);
  lastTime.writeUInt16BE(twoDigits[month] as number, MONTH);
  lastTime.writeUInt16BE(twoDigits[day] as number, DAY);
  lastDays = days;
}

/**
 * Returns the date of a number of days. It computes with years that begin in March, so that a leap day is the last day
 * of its year.
 */
function dateOf(days: number): { year: number; month: number; day: number } {
  const sinceMarch = days + DAYS_TO_1970;
  const era = Math.floor(sinceMarch / DAYS_PER_ERA);
  const dayOfEra = sinceMarch - era * DAYS_PER_ERA;
  const yearOfEra = Math.trunc(
    (dayOfEra -
      Math.trunc(dayOfEra / 1460) +
      Math.trunc(dayOfEra / 36_524) -
      Math.trunc(dayOfEra / (DAYS_PER_ERA - 1))) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.trunc((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0);
  return { year, month, day };
}
