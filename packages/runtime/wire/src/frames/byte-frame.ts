import type { Format, Frame, HeadPositions, WatchEventType } from './format.ts';

/** A frame of bytes. All frames have the same hidden class, which keeps the reading code fast. */
export class ByteFrame implements Frame {
  readonly type: WatchEventType;
  readonly format: Format;
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly positions: HeadPositions | undefined;

  constructor(
    format: Format,
    type: WatchEventType,
    buffer: Uint8Array,
    from: number,
    to: number,
    positions?: HeadPositions,
  ) {
    this.format = format;
    this.type = type;
    this.buffer = buffer;
    this.from = from;
    this.to = to;
    this.positions = positions;
  }
}
