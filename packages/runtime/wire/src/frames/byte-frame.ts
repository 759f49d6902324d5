import type { Format, Frame, HeadPositions, WatchEventType } from './format.ts';

/** A frame of bytes. All frames have the same hidden class, which keeps the reading code fast. */
export class ByteFrame implements Frame {
  declare readonly type: WatchEventType;
  declare readonly format: Format;
  declare readonly buffer: Uint8Array;
  declare readonly from: number;
  declare readonly to: number;
  declare readonly positions: HeadPositions | undefined;

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
