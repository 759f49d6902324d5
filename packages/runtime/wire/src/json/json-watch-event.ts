import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import { watchEventType, watchEventTypes, type WatchEventType } from '../frames/format.ts';
import { CLOSE_OBJECT, OPEN_OBJECT, parseRange, skipValue, UNFINISHED } from './json-bytes.ts';
import { JsonMembers } from './json-members.ts';

const TYPE = Buffer.from('type');
const OBJECT = Buffer.from('object');

/** The bytes with which kube-apiserver begins an event of one type, up to the object's first brace. */
export interface EventOpening {
  readonly type: WatchEventType;
  readonly bytes: Buffer;
}

const OPENINGS: readonly EventOpening[] = watchEventTypes.map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));

/** Position of the first byte in which the openings differ. */
const FIRST_DIFFERENCE = '{"type":"'.length;

/** Returns the opening at `from` if an event in kube-apiserver's form begins there. */
export function openingAt(bytes: Buffer, from: number, to: number): EventOpening | undefined {
  const letter = bytes[from + FIRST_DIFFERENCE];
  for (const opening of OPENINGS) {
    if (opening.bytes[FIRST_DIFFERENCE] !== letter) continue;
    const isThere = to - from > opening.bytes.length && startsWith(bytes, from, opening.bytes);
    return isThere ? opening : undefined;
  }
  return undefined;
}

/** Parses one event of a watch byte by byte; reused for other events. */
export class JsonWatchEvent {
  type: WatchEventType = 'ERROR';
  objectFrom = 0;
  objectTo = 0;
  /**
   * True for an event in kube-apiserver's form: no white space around the members, type before object, no other member.
   */
  isPlain = false;

  /** Returns the position after the event that begins at `from`, or `UNFINISHED` if the bytes end first. */
  read(bytes: Buffer, from: number, to: number): number {
    if (bytes[from] !== OPEN_OBJECT) throw malformedEvent('not an object');
    const opening = openingAt(bytes, from, to);
    if (opening !== undefined) {
      const objectFrom = from + opening.bytes.length - 1;
      const objectTo = skipValue(bytes, objectFrom, to);
      if (objectTo === UNFINISHED) return UNFINISHED;
      this.isPlain = objectTo < to && bytes[objectTo] === CLOSE_OBJECT;
      if (this.isPlain) return this.#set(opening.type, objectFrom, objectTo, objectTo + 1);
    }
    this.isPlain = false;
    return this.#readMembers(bytes, from, to);
  }

  #readMembers(bytes: Buffer, from: number, to: number): number {
    const members = new JsonMembers(bytes, from + 1, to);
    let type: unknown;
    let objectFrom = -1;
    let objectTo = -1;
    for (;;) {
      const step = members.next();
      if (step === 'end') break;
      const valueFrom = members.at;
      const isType = step === 'member' && members.isName(TYPE);
      const isObject = step === 'member' && members.isName(OBJECT);
      if (step === 'unfinished' || !members.skip()) return UNFINISHED;
      if (isType) type = parseRange(bytes, valueFrom, members.at);
      if (isObject) {
        objectFrom = valueFrom;
        objectTo = members.at;
      }
    }
    const isThere = objectFrom !== -1 && bytes[objectFrom] === OPEN_OBJECT;
    if (!isThere) throw malformedEvent('no object');
    return this.#set(watchEventType(type), objectFrom, objectTo, members.at);
  }

  #set(type: WatchEventType, objectFrom: number, objectTo: number, end: number): number {
    this.type = type;
    this.objectFrom = objectFrom;
    this.objectTo = objectTo;
    return end;
  }
}

function startsWith(bytes: Buffer, from: number, opening: Buffer): boolean {
  for (let i = 0; i < opening.length; i++) if (bytes[from + i] !== opening[i]) return false;
  return true;
}

export function malformedEvent(reason: string): CodedError {
  return new CodedError('MALFORMED_WATCH_EVENT', wireErrors.MALFORMED_WATCH_EVENT, {
    reason,
  });
}
