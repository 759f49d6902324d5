import { FrameBuffer } from '../frames/frame-buffer.ts';
import { ByteOrderMark } from './byte-order-mark.ts';
import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import { ByteFrame, type Format, type Frame, type Splitter } from '../frames/format.ts';
import { asBuffer, NEWLINE, OPEN_OBJECT, skipSpace, UNFINISHED } from './json-bytes.ts';
import {
  endsInBrace,
  endsInOpening,
  eventEnd,
  lineBefore,
  MAX_UNSEEN_NAME_BYTES,
  nextObjectName,
  NONE,
} from './json-event-line.ts';
import { JsonValueEnd } from './json-value-end.ts';
import {
  JsonWatchEvent,
  malformedEvent,
  openingAt,
  type EventOpening,
} from './json-watch-event.ts';

/**
 * Number of events in kube-apiserver's form after which the next ones are split by lines. Reading every byte
 * of every event would cost a quarter of the time from socket to handler.
 */
const PLAIN_EVENTS_UNTIL_LINES = 1;

/**
 * Number of events in kube-apiserver's form after which a line at the end of a chunk counts as complete before the next
 * byte has arrived. If that byte is not a `{`, the response is refused.
 */
const PLAIN_EVENTS_UNTIL_LAST_LINES = 16;

/** The count of events after the response has used another form: every later event is read byte by byte. */
const NEVER = -1;

/**
 * Splits a watch response into its events in any layout: spread over lines, several on a line, with or
 * without a newline after them. An event within one chunk is a range of that chunk; only an event that spans
 * chunks is copied. Frames of one call never share bytes.
 *
 * Events in kube-apiserver's form are not read byte by byte. One native search finds the next event by the
 * name of its member `object`. If that event begins a line, the previous event ends with the previous line.
 */
export class JsonWatchSplitter implements Splitter {
  readonly #format: Format;
  readonly #event = new JsonWatchEvent();
  readonly #mark = new ByteOrderMark();
  /** The bytes of an event that earlier chunks have begun. */
  readonly #carry = new FrameBuffer();
  /** Finds the end of the collected event. */
  readonly #valueEnd = new JsonValueEnd();
  /** Number of bytes of the collected event that `#valueEnd` has read. */
  #scannedBytes = 0;
  #plainEvents = 0;
  #frames: Frame[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const bytes = asBuffer(chunk);
    const frames: Frame[] = [];
    this.#frames = frames;
    try {
      this.#carry.reuse();
      let at = this.#mark.skip(bytes, 0);
      while (at < bytes.length) {
        at = this.#carry.length > 0 ? this.#continue(bytes, at) : this.#step(bytes, at);
      }
    } finally {
      // A frame that is kept here would keep its chunk in memory.
      this.#frames = [];
    }
    return frames;
  }

  end(): void {
    if (this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', wireErrors.TRUNCATED_RESPONSE, {
      response: 'watch',
      bytes: this.#carry.length,
    });
  }

  get #cutsLines(): boolean {
    return this.#plainEvents >= PLAIN_EVENTS_UNTIL_LINES;
  }

  /** Splits off one event, or its part within these bytes. `at` is a position between two events. */
  #step(bytes: Buffer, at: number): number {
    const from = skipSpace(bytes, at, bytes.length);
    if (from === bytes.length) return from;
    const opening = this.#cutsLines ? openingAt(bytes, from, bytes.length) : undefined;
    if (opening === undefined) return this.#split(bytes, from);
    const objectFrom = from + opening.bytes.length - 1;
    const name = nextObjectName(bytes, objectFrom);
    if (name === NONE) return this.#lastEvent(bytes, from, opening);
    const next = lineBefore(bytes, name);
    const isTaken = next > objectFrom && this.#take(bytes, opening, objectFrom, next);
    return isTaken ? next : this.#split(bytes, from);
  }

  /** Handles an event that no further event follows within these bytes. */
  #lastEvent(bytes: Buffer, from: number, opening: EventOpening): number {
    const objectFrom = from + opening.bytes.length - 1;
    const { length } = bytes;
    const mayEnd =
      endsInBrace(bytes, objectFrom, length) === true || endsInOpening(bytes, objectFrom);
    if (!mayEnd) return this.#begin(bytes, from);
    const next = bytes.lastIndexOf(NEWLINE) + 1;
    const endsChunk = next === length && this.#plainEvents >= PLAIN_EVENTS_UNTIL_LAST_LINES;
    const isLine = next > objectFrom && (endsChunk || bytes[next] === OPEN_OBJECT);
    if (isLine && this.#take(bytes, opening, objectFrom, next)) return next;
    return this.#split(bytes, from);
  }

  /**
   * Adds the event that ends at `to` to the frames. Returns false if the bytes before `to` do not end in two braces.
   */
  #take(bytes: Buffer, opening: EventOpening, objectFrom: number, to: number): boolean {
    const end = eventEnd(bytes, to);
    if (end === NONE) return false;
    this.#frames.push(new ByteFrame(this.#format, opening.type, bytes, objectFrom, end - 1));
    return true;
  }

  #split(bytes: Buffer, from: number): number {
    const event = this.#event;
    const end = event.read(bytes, from, bytes.length);
    if (end === UNFINISHED) return this.#begin(bytes, from);
    const { type, objectFrom, objectTo } = event;
    this.#frames.push(new ByteFrame(this.#format, type, bytes, objectFrom, objectTo));
    if (!event.isPlain) this.#plainEvents = NEVER;
    else if (this.#plainEvents !== NEVER) this.#plainEvents++;
    return end;
  }

  /** Collects the start of an event that these bytes do not complete. */
  #begin(bytes: Buffer, from: number): number {
    this.#valueEnd.start(OPEN_OBJECT);
    this.#scannedBytes = 0;
    this.#carry.append(bytes, from, bytes.length);
    return bytes.length;
  }

  #continue(bytes: Buffer, at: number): number {
    if (!this.#cutsLines) return this.#scanTo(bytes, at);
    const carry = this.#carry;
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline !== NONE && this.#endsLine(bytes, at, newline)) {
      carry.append(bytes, at, newline + 1);
      this.#takeLine();
      return newline + 1;
    }
    const unseen = Math.max(0, carry.length - MAX_UNSEEN_NAME_BYTES);
    carry.append(bytes, at, bytes.length);
    const mayEnd =
      newline !== NONE ||
      endsInBrace(bytes, at, bytes.length) === true ||
      endsInOpening(carry.bytes, 0) ||
      nextObjectName(carry.bytes, unseen) !== NONE;
    if (mayEnd) this.#scanCarried();
    return bytes.length;
  }

  /** True if this line is probably the last one of the collected event. */
  #endsLine(bytes: Buffer, at: number, newline: number): boolean {
    if (bytes[newline + 1] !== OPEN_OBJECT) return false;
    return endsInBrace(bytes, at, newline) ?? this.#carriesBrace();
  }

  #carriesBrace(): boolean {
    const { bytes } = this.#carry;
    return endsInBrace(bytes, 0, bytes.length) === true;
  }

  /** Searches byte by byte for the end of the collected event. */
  #scanTo(bytes: Buffer, at: number): number {
    if (this.#scannedBytes < this.#carry.length && this.#scanCarried()) return at;
    const end = this.#valueEnd.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end + Number(bytes[end] === NEWLINE);
    this.#carry.append(bytes, at, to);
    this.#scannedBytes = this.#carry.length;
    if (end !== UNFINISHED) this.#splitCarried();
    return to;
  }

  /** Searches the collected bytes for the end of the event. True if it was found. */
  #scanCarried(): boolean {
    const { bytes } = this.#carry;
    const end = this.#valueEnd.push(bytes, this.#scannedBytes, bytes.length);
    this.#scannedBytes = bytes.length;
    if (end !== UNFINISHED) this.#splitCarried();
    return end !== UNFINISHED;
  }

  #splitCarried(): void {
    const carried = this.#carry.take();
    let from = this.#split(carried, 0);
    if (this.#carry.length > 0) throw malformedEvent('brackets do not match');
    while (from < carried.length) from = this.#step(carried, from);
  }

  /**
   * Splits the collected bytes, which end with an event. They contain one event, unless a search finds the start of
   * another one in them.
   */
  #takeLine(): void {
    const carried = this.#carry.take();
    const opening = openingAt(carried, 0, carried.length);
    const objectFrom = opening === undefined ? 0 : opening.bytes.length - 1;
    const isOne =
      opening !== undefined &&
      nextObjectName(carried, objectFrom) === NONE &&
      this.#take(carried, opening, objectFrom, carried.length);
    let from = isOne ? carried.length : 0;
    while (from < carried.length) from = this.#step(carried, from);
  }
}
