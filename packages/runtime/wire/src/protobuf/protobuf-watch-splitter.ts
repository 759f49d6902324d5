import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import {
  ByteFrame,
  watchEventType,
  type Format,
  type Frame,
  type Splitter,
} from '../frames/format.ts';
import { FrameBuffer, MAX_FRAME_BYTES } from '../frames/frame-buffer.ts';
import { asBuffer } from '../json/json-bytes.ts';
import { malformedEvent } from '../json/json-watch-event.ts';
import { BYTES, ProtobufReader } from './protobuf-reader.ts';

/** Each event follows its length, a number of 32 bits with the highest byte first. */
const LENGTH_BYTES = 4;

/** The tags of the fields of `WatchEvent`, and of the field of the `RawExtension` in it. */
const TYPE = 1 * 8 + BYTES;
const OBJECT = 2 * 8 + BYTES;
const RAW = 1 * 8 + BYTES;

/**
 * Splits a watch response into its events. Each frame is the object of an event with its envelope. Only an event that
 * spans chunks is copied.
 */
export class ProtobufWatchSplitter implements Splitter {
  readonly #format: Format;
  readonly #reported: (error: unknown) => unknown;
  /** The length and the bytes of an event that earlier chunks have begun. */
  readonly #carry = new FrameBuffer();

  /** `reported` receives each error of `push`, and returns the error to throw. */
  constructor(format: Format, reported: (error: unknown) => unknown) {
    this.#format = format;
    this.#reported = reported;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const bytes = Buffer.isBuffer(chunk) ? chunk : asBuffer(chunk);
    const frames: Frame[] = [];
    try {
      if (this.#carry.isInUse) this.#carry.reuse();
      let at = 0;
      while (at < bytes.length) {
        if (this.#carry.length > 0) {
          at = this.#continue(bytes, at, frames);
          continue;
        }
        const end = frameEnd(bytes, at, bytes.length);
        if (end <= bytes.length) frames.push(this.#frame(bytes, at + LENGTH_BYTES, end));
        else this.#carry.append(bytes, at, bytes.length);
        at = end;
      }
    } catch (error) {
      throw this.#reported(error);
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

  /** Collects no more than one event, so that events do not share bytes. */
  #continue(bytes: Buffer, at: number, frames: Frame[]): number {
    const carry = this.#carry;
    const end = frameEnd(carry.bytes, 0, carry.length);
    const taken = Math.min(end - carry.length, bytes.length - at);
    carry.append(bytes, at, at + taken);
    if (carry.length < LENGTH_BYTES || frameEnd(carry.bytes, 0, carry.length) > carry.length) {
      return at + taken;
    }
    const carried = carry.take();
    frames.push(this.#frame(carried, LENGTH_BYTES, carried.length));
    return at + taken;
  }

  #frame(bytes: Buffer, from: number, to: number): Frame {
    const reader = new ProtobufReader(bytes, from, to);
    let type: string | undefined;
    let objectFrom = -1;
    let objectTo = -1;
    while (reader.at < reader.to) {
      const tag = reader.small();
      const end = reader.end();
      if (tag === TYPE) type = reader.text(end);
      else if (tag === OBJECT && objectFrom === -1) {
        if (end === reader.at || reader.small() !== RAW) throw malformedEvent('no object');
        objectTo = reader.end();
        objectFrom = reader.at;
        if (objectTo !== end) throw malformedEvent('unknown field');
      } else throw malformedEvent('unknown field');
      reader.at = end;
    }
    if (objectFrom === -1) throw malformedEvent('no object');
    return new ByteFrame(this.#format, watchEventType(type), bytes, objectFrom, objectTo);
  }
}

/** Returns the end of the event at `from`, or that of its length if these bytes do not contain it. */
function frameEnd(bytes: Buffer, from: number, to: number): number {
  if (to - from < LENGTH_BYTES) return from + LENGTH_BYTES;
  const length = bytes.readUInt32BE(from);
  if (length <= MAX_FRAME_BYTES) return from + LENGTH_BYTES + length;
  throw new CodedError('FRAME_TOO_LARGE', wireErrors.FRAME_TOO_LARGE, {
    bytes: length,
    most: MAX_FRAME_BYTES,
  });
}
