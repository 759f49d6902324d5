/** The part of `BinaryWriter` that is used. The declarations of the protobuf library need TypeScript 5.7. */
interface ProtobufWriter {
  tag(number: number, type: number): this;
  string(value: string): this;
  bytes(value: Uint8Array): this;
  bool(value: boolean): this;
  int64(value: number | bigint): this;
  double(value: number): this;
  fork(): this;
  join(): this;
  finish(): Uint8Array;
}

/** The writer of the protobuf library, which is loaded when a client requests protobuf. */
export interface Wire {
  readonly BinaryWriter: new () => ProtobufWriter;
  readonly WireType: Readonly<Record<'Varint' | 'Bit64' | 'LengthDelimited', number>>;
}

/** Writes fields of messages by number. */
export class WireWriter {
  readonly #writer: ProtobufWriter;
  readonly #types: Wire['WireType'];

  constructor(wire: Wire) {
    this.#writer = new wire.BinaryWriter();
    this.#types = wire.WireType;
  }

  text(number: number, value: string): void {
    this.#writer.tag(number, this.#types.LengthDelimited).string(value);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#writer.tag(number, this.#types.LengthDelimited).bytes(value);
  }

  bool(number: number, value: boolean): void {
    this.#writer.tag(number, this.#types.Varint).bool(value);
  }

  int(number: number, value: number | bigint): void {
    this.#writer.tag(number, this.#types.Varint).int64(value);
  }

  double(number: number, value: number): void {
    this.#writer.tag(number, this.#types.Bit64).double(value);
  }

  /** Writes a message that contains the fields written by `write`. */
  message(number: number, write: () => void): void {
    this.#writer.tag(number, this.#types.LengthDelimited).fork();
    write();
    this.#writer.join();
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}
