import type { BinaryWriter } from '@bufbuild/protobuf/wire';

/** The writer of the protobuf library, which is loaded when a client requests protobuf. */
export type Wire = Pick<typeof import('@bufbuild/protobuf/wire'), 'BinaryWriter' | 'WireType'>;

/** Writes fields of messages by number. */
export class WireWriter {
  readonly #writer: BinaryWriter;
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
