import { ByteCarry } from './byte-carry.ts';
import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';
import type { Format, Frame, Splitter, WatchEventType } from './format.ts';
import {
  asBuffer,
  CLOSE_OBJECT,
  isSpace,
  malformedObject,
  NEWLINE,
  OPEN_OBJECT,
  parseRange,
  skipSpace,
  UNFINISHED,
} from './json-bytes.ts';
import { JsonFrame } from './json-frame.ts';
import { JsonMembers } from './json-members.ts';
import { JsonValueSkimmer } from './json-value-skimmer.ts';

const TYPES: readonly WatchEventType[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];
const TYPE = Buffer.from('type');
const OBJECT = Buffer.from('object');

/** How kube-apiserver begins an event of each type. */
const OPENINGS: readonly { type: WatchEventType; bytes: Buffer }[] = TYPES.map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));

/**
 * Cuts a watch response into its events. An event in the very form that kube-apiserver writes (one
 * line, type before object, nothing else) is taken by its line and its opening; any other is
 * walked member by member, also when it is spread over lines.
 */
export class JsonWatchSplitter implements Splitter {
  readonly #format: Format;
  readonly #members = new JsonMembers();
  readonly #skimmer = new JsonValueSkimmer();
  readonly #carry = new ByteCarry();
  #isSpreadOverLines = false;
  #frames: Frame[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const bytes = asBuffer(chunk);
    const frames: Frame[] = [];
    this.#frames = frames;
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at);
    return frames;
  }

  end(): void {
    if (this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'watch',
      bytes: this.#carry.length,
    });
  }

  #step(bytes: Buffer, at: number): number {
    if (this.#isSpreadOverLines) return this.#continueEvent(bytes, at);
    const from = this.#carry.length > 0 ? at : skipSpace(bytes, at, bytes.length);
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline === -1) {
      this.#carry.append(bytes, from, bytes.length);
      return bytes.length;
    }
    this.#completeLine(bytes, from, newline + 1);
    return newline + 1;
  }

  #completeLine(bytes: Buffer, from: number, to: number): void {
    if (this.#carry.length === 0) return this.#line(bytes, from, to);
    this.#carry.append(bytes, from, to);
    const length = this.#carry.length;
    this.#line(this.#carry.take(), 0, length);
  }

  #line(bytes: Buffer, from: number, to: number): void {
    const opening = openingAt(bytes, from, to);
    if (opening === undefined) return this.#walkLine(bytes, from, to);
    const end = trimEnd(bytes, to);
    if (bytes[end - 1] !== CLOSE_OBJECT || bytes[end - 2] !== CLOSE_OBJECT) {
      return this.#walkLine(bytes, from, to);
    }
    const objectFrom = from + opening.bytes.length - 1;
    this.#frames.push(new JsonFrame(this.#format, opening.type, bytes, objectFrom, end - 1));
  }

  #walkLine(bytes: Buffer, from: number, to: number): void {
    for (let at = skipSpace(bytes, from, to); at < to; at = skipSpace(bytes, at, to)) {
      this.#skimmer.start(OPEN_OBJECT);
      if (bytes[at] !== OPEN_OBJECT) throw malformedEvent('not an object');
      const end = this.#skimmer.push(bytes, at, to);
      if (end === UNFINISHED) {
        this.#isSpreadOverLines = true;
        this.#carry.append(bytes, at, to);
        return;
      }
      this.#event(bytes, at, end);
      at = end;
    }
  }

  #continueEvent(bytes: Buffer, at: number): number {
    const end = this.#skimmer.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end;
    this.#carry.append(bytes, at, to);
    if (end === UNFINISHED) return to;
    this.#isSpreadOverLines = false;
    const length = this.#carry.length;
    this.#event(this.#carry.take(), 0, length);
    return to;
  }

  #event(bytes: Buffer, from: number, to: number): void {
    const members = this.#members;
    let type: unknown;
    let objectFrom = -1;
    let objectTo = -1;
    members.start(bytes, from + 1, to);
    while (members.next() === 'member') {
      const valueFrom = members.at;
      const isType = members.named(TYPE);
      const isObject = members.named(OBJECT);
      if (!members.skip()) throw malformedObject('the event is cut off');
      if (isType) type = parseRange(bytes, valueFrom, members.at);
      if (isObject) {
        objectFrom = valueFrom;
        objectTo = members.at;
      }
    }
    const isThere = objectFrom !== -1 && bytes[objectFrom] === OPEN_OBJECT;
    if (!isThere) throw malformedEvent('no object');
    this.#frames.push(new JsonFrame(this.#format, typeOf(type), bytes, objectFrom, objectTo));
  }
}

function trimEnd(bytes: Buffer, to: number): number {
  while (isSpace(bytes[to - 1] as number)) to--;
  return to;
}

function openingAt(bytes: Buffer, from: number, to: number): (typeof OPENINGS)[number] | undefined {
  for (const opening of OPENINGS) {
    if (to - from > opening.bytes.length && startsWith(bytes, from, opening.bytes)) return opening;
  }
  return undefined;
}

/** Compares from the back: the openings differ in the middle and agree in front. */
function startsWith(bytes: Buffer, from: number, opening: Buffer): boolean {
  for (let i = opening.length - 1; i >= 0; i--) if (bytes[from + i] !== opening[i]) return false;
  return true;
}

function typeOf(value: unknown): WatchEventType {
  const type = TYPES.find((known) => known === value);
  if (type !== undefined) return type;
  throw new CodedError('UNKNOWN_EVENT_TYPE', apimachineryErrors.UNKNOWN_EVENT_TYPE, {
    type: value,
  });
}

function malformedEvent(reason: string): CodedError {
  return new CodedError('MALFORMED_WATCH_EVENT', apimachineryErrors.MALFORMED_WATCH_EVENT, {
    reason,
  });
}
