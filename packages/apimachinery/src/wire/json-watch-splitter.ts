import { ByteCarry } from './byte-carry.ts';
import { ByteOrderMark } from './byte-order-mark.ts';
import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';
import type { Format, Frame, Splitter } from './format.ts';
import {
  asBuffer,
  CLOSE_OBJECT,
  isSpace,
  NEWLINE,
  OPEN_OBJECT,
  skipSpace,
  UNFINISHED,
} from './json-bytes.ts';
import { JsonFrame } from './json-frame.ts';
import { JsonValueSkimmer } from './json-value-skimmer.ts';
import { JsonWatchEvent, openingAt } from './json-watch-event.ts';

/**
 * Events in a row, each alone on its line in kube-apiserver's form, until the lines of a response are
 * trusted. Walking over every byte of every event would cost a quarter of its way to a handler.
 */
const PLAIN_EVENTS_UNTIL_TRUSTED = 16;

/** The response has shown another form: its lines are never trusted. */
const NEVER = -1;

/**
 * Behind its opening, a trusted line with a second event holds one of these: the end of an event type and
 * what follows it. A line that holds one is walked over. Each begins with a rare letter, because a search
 * for a needle that begins with a quote takes sixty times as long.
 */
const SECOND_OPENINGS = ['D","ob', 'K","ob', 'R","ob'].map((text) => Buffer.from(text));

/**
 * Cuts a watch response into its events, whatever the layout: spread over lines, several on a line,
 * with or without a newline behind them. An event that lies within one chunk is a range of that
 * chunk; only one that spans chunks is copied. Frames of one call never share bytes.
 */
export class JsonWatchSplitter implements Splitter {
  readonly #format: Format;
  readonly #event = new JsonWatchEvent();
  readonly #mark = new ByteOrderMark();
  /** The event that earlier chunks have begun: its bytes so far. */
  readonly #carry = new ByteCarry();
  /** Looks for the end of the carried event, unless lines are trusted. */
  readonly #skimmer = new JsonValueSkimmer();
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

  get #isTrusted(): boolean {
    return this.#plainEvents >= PLAIN_EVENTS_UNTIL_TRUSTED;
  }

  /** One event, or what the bytes hold of it, from a place between two events. */
  #step(bytes: Buffer, at: number): number {
    const from = skipSpace(bytes, at, bytes.length);
    if (from === bytes.length) return from;
    if (!this.#isTrusted) return this.#walk(bytes, from);
    const newline = bytes.indexOf(NEWLINE, from);
    if (newline === -1) return this.#lastLine(bytes, from);
    return this.#takeLine(bytes, from, newline) ? newline + 1 : this.#walk(bytes, from);
  }

  /** A trusted line without its newline is carried, unless it may be a whole event. */
  #lastLine(bytes: Buffer, from: number): number {
    const isWhole =
      bytes.at(-1) === CLOSE_OBJECT && this.#event.read(bytes, from, bytes.length) !== UNFINISHED;
    if (isWhole) return this.#walk(bytes, from);
    this.#carry.append(bytes, from, bytes.length);
    return bytes.length;
  }

  /** Takes a line by its two ends; false if it must be walked over. */
  #takeLine(bytes: Buffer, from: number, newline: number): boolean {
    const opening = openingAt(bytes, from, newline);
    if (opening === undefined) return false;
    const end = trimEnd(bytes, newline);
    if (bytes[end - 1] !== CLOSE_OBJECT || bytes[end - 2] !== CLOSE_OBJECT) return false;
    const objectFrom = from + opening.bytes.length - 1;
    if (holdsSecondEvent(bytes, objectFrom, newline)) return false;
    this.#frames.push(new JsonFrame(this.#format, opening.type, bytes, objectFrom, end - 1));
    return true;
  }

  #walk(bytes: Buffer, from: number): number {
    const event = this.#event;
    const end = event.read(bytes, from, bytes.length);
    if (end === UNFINISHED) return this.#begin(bytes, from);
    const { type, objectFrom, objectTo } = event;
    this.#frames.push(new JsonFrame(this.#format, type, bytes, objectFrom, objectTo));
    this.#judge(event.isPlain, bytes[end]);
    return end;
  }

  /** Carries an event that the bytes do not end. */
  #begin(bytes: Buffer, from: number): number {
    if (this.#isTrusted) this.#plainEvents = NEVER;
    this.#skimmer.start(OPEN_OBJECT);
    this.#skimmer.push(bytes, from, bytes.length);
    this.#carry.append(bytes, from, bytes.length);
    return bytes.length;
  }

  /** `next` is undefined where the bytes end with the event: its newline, if any, is still to come. */
  #judge(isPlain: boolean, next: number | undefined): void {
    if (!isPlain || this.#plainEvents === NEVER) this.#plainEvents = NEVER;
    else if (next === NEWLINE) this.#plainEvents++;
    else this.#plainEvents = next === undefined ? 0 : NEVER;
  }

  #continue(bytes: Buffer, at: number): number {
    const end = this.#isTrusted ? lineEnd(bytes, at) : this.#skimmer.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end + Number(bytes[end] === NEWLINE);
    this.#carry.append(bytes, at, to);
    if (end === UNFINISHED && !this.#mayBeWhole(bytes)) return to;
    const carried = this.#carry.take();
    for (let from = 0; from < carried.length;) from = this.#step(carried, from);
    return to;
  }

  /** Whether a carried line whose newline has not come may be a whole event. */
  #mayBeWhole(bytes: Buffer): boolean {
    return this.#isTrusted && bytes.at(-1) === CLOSE_OBJECT;
  }
}

function holdsSecondEvent(bytes: Buffer, from: number, to: number): boolean {
  const line = bytes.subarray(from, to);
  for (const opening of SECOND_OPENINGS) if (line.includes(opening)) return true;
  return false;
}

function lineEnd(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline === -1 ? UNFINISHED : newline + 1;
}

function trimEnd(bytes: Buffer, to: number): number {
  while (isSpace(bytes[to - 1] as number)) to--;
  return to;
}
