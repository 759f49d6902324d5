import { ByteCarry } from './byte-carry.ts';
import { ByteOrderMark } from './byte-order-mark.ts';
import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';
import type { Format, Frame, Splitter } from './format.ts';
import { asBuffer, NEWLINE, OPEN_OBJECT, skipSpace, UNFINISHED } from './json-bytes.ts';
import {
  endsInBrace,
  endsInOpening,
  eventEnd,
  lineBefore,
  LONGEST_UNSEEN_NAME,
  nextObjectName,
  NONE,
} from './json-event-line.ts';
import { JsonFrame } from './json-frame.ts';
import { JsonValueSkimmer } from './json-value-skimmer.ts';
import {
  JsonWatchEvent,
  malformedEvent,
  openingAt,
  type EventOpening,
} from './json-watch-event.ts';

/**
 * Events in kube-apiserver's form until the next ones are cut by their lines. Walking over every byte of
 * every event would cost a quarter of its way to a handler.
 */
const PLAIN_EVENTS_UNTIL_LINES = 1;

/**
 * Events in that form until a line that ends a chunk is taken to end its event, though the next byte has
 * not come. If that byte is no `{`, the response is refused.
 */
const PLAIN_EVENTS_UNTIL_LAST_LINES = 16;

/** The response has shown another form: every event is walked over. */
const NEVER = -1;

/**
 * Cuts a watch response into its events, whatever the layout: spread over lines, several on a line,
 * with or without a newline behind them. An event that lies within one chunk is a range of that
 * chunk; only one that spans chunks is copied. Frames of one call never share bytes.
 *
 * An event in kube-apiserver's form is not walked over. One native search finds the next event by the
 * name of its member `object`. If that one begins a line, the event before it ends with the line before.
 */
export class JsonWatchSplitter implements Splitter {
  readonly #format: Format;
  readonly #event = new JsonWatchEvent();
  readonly #mark = new ByteOrderMark();
  /** The event that earlier chunks have begun: its bytes so far. */
  readonly #carry = new ByteCarry();
  /** Looks for the end of the carried event. */
  readonly #skimmer = new JsonValueSkimmer();
  /** Bytes of the carried event that the skimmer has seen. */
  #skimmed = 0;
  #plainEvents = 0;
  #frames: Frame[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const bytes = asBuffer(chunk);
    const frames: Frame[] = [];
    this.#frames = frames;
    this.#carry.reuse();
    let at = this.#mark.skip(bytes, 0);
    while (at < bytes.length) {
      at = this.#carry.length > 0 ? this.#continue(bytes, at) : this.#step(bytes, at);
    }
    return frames;
  }

  end(): void {
    if (this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'watch',
      bytes: this.#carry.length,
    });
  }

  get #cutsLines(): boolean {
    return this.#plainEvents >= PLAIN_EVENTS_UNTIL_LINES;
  }

  /** One event, or what the bytes hold of it, from a place between two events. */
  #step(bytes: Buffer, at: number): number {
    const from = skipSpace(bytes, at, bytes.length);
    if (from === bytes.length) return from;
    const opening = this.#cutsLines ? openingAt(bytes, from, bytes.length) : undefined;
    if (opening === undefined) return this.#walk(bytes, from);
    const objectFrom = from + opening.bytes.length - 1;
    const name = nextObjectName(bytes, objectFrom);
    if (name === NONE) return this.#lastEvent(bytes, from, opening);
    const next = lineBefore(bytes, name);
    const isTaken = next > objectFrom && this.#take(bytes, opening, objectFrom, next);
    return isTaken ? next : this.#walk(bytes, from);
  }

  /** An event behind whose opening no other one is seen to begin. */
  #lastEvent(bytes: Buffer, from: number, opening: EventOpening): number {
    const newline = bytes.lastIndexOf(NEWLINE);
    const next = newline + 1;
    const objectFrom = from + opening.bytes.length - 1;
    const endsChunk = next === bytes.length && this.#plainEvents >= PLAIN_EVENTS_UNTIL_LAST_LINES;
    const isLine = newline > objectFrom && (endsChunk || bytes[next] === OPEN_OBJECT);
    if (isLine && this.#take(bytes, opening, objectFrom, next)) return next;
    const mayEnd =
      newline > objectFrom ||
      endsInBrace(bytes, objectFrom, bytes.length) === true ||
      endsInOpening(bytes, objectFrom);
    return mayEnd ? this.#walk(bytes, from) : this.#begin(bytes, from);
  }

  /** Takes an event that has its bytes up to `to` for itself; false if it does not end in two braces. */
  #take(bytes: Buffer, opening: EventOpening, objectFrom: number, to: number): boolean {
    const end = eventEnd(bytes, to);
    if (end === NONE) return false;
    this.#frames.push(new JsonFrame(this.#format, opening.type, bytes, objectFrom, end - 1));
    return true;
  }

  #walk(bytes: Buffer, from: number): number {
    const event = this.#event;
    const end = event.read(bytes, from, bytes.length);
    if (end === UNFINISHED) return this.#begin(bytes, from);
    const { type, objectFrom, objectTo } = event;
    this.#frames.push(new JsonFrame(this.#format, type, bytes, objectFrom, objectTo));
    if (!event.isPlain) this.#plainEvents = NEVER;
    else if (this.#plainEvents !== NEVER) this.#plainEvents++;
    return end;
  }

  /** Carries an event that the bytes do not end. */
  #begin(bytes: Buffer, from: number): number {
    this.#skimmer.start(OPEN_OBJECT);
    this.#skimmed = 0;
    this.#carry.append(bytes, from, bytes.length);
    return bytes.length;
  }

  #continue(bytes: Buffer, at: number): number {
    if (!this.#cutsLines) return this.#skim(bytes, at);
    const carry = this.#carry;
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline !== NONE && this.#endsLine(bytes, at, newline)) {
      carry.append(bytes, at, newline + 1);
      this.#takeLine();
      return newline + 1;
    }
    const unseen = Math.max(0, carry.length - LONGEST_UNSEEN_NAME);
    carry.append(bytes, at, bytes.length);
    const mayEnd =
      newline !== NONE ||
      endsInBrace(bytes, at, bytes.length) === true ||
      endsInOpening(carry.bytes, 0) ||
      nextObjectName(carry.bytes, unseen) !== NONE;
    if (mayEnd) this.#skimCarried();
    return bytes.length;
  }

  /** Whether a line of the carried event is the event's last one, as far as the bytes tell. */
  #endsLine(bytes: Buffer, at: number, newline: number): boolean {
    if (bytes[newline + 1] !== OPEN_OBJECT) return false;
    const carried = this.#carry.bytes;
    return endsInBrace(bytes, at, newline) ?? endsInBrace(carried, 0, carried.length) === true;
  }

  /** Looks byte by byte for the end of the carried event. */
  #skim(bytes: Buffer, at: number): number {
    if (this.#skimmed < this.#carry.length && this.#skimCarried()) return at;
    const end = this.#skimmer.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end + Number(bytes[end] === NEWLINE);
    this.#carry.append(bytes, at, to);
    this.#skimmed = this.#carry.length;
    if (end !== UNFINISHED) this.#walkCarried();
    return to;
  }

  /** Looks for the end in what is carried already; true if it is there. */
  #skimCarried(): boolean {
    const { bytes } = this.#carry;
    const end = this.#skimmer.push(bytes, this.#skimmed, bytes.length);
    this.#skimmed = bytes.length;
    if (end !== UNFINISHED) this.#walkCarried();
    return end !== UNFINISHED;
  }

  #walkCarried(): void {
    const carried = this.#carry.take();
    let from = this.#walk(carried, 0);
    if (this.#carry.length > 0) throw malformedEvent('brackets do not match');
    while (from < carried.length) from = this.#step(carried, from);
  }

  /** Takes what is carried and ends where an event ends: one event, unless another one is seen to begin. */
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
