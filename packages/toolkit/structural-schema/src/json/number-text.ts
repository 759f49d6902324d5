/**
 * A number in its original notation, for numbers that JavaScript cannot represent exactly: `80.0`, `1e2`,
 * `9007199254740993`. Bodies and patches contain it until the object is decoded; decoded objects contain numbers and
 * bigints.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** True if the notation is that of a Go integer of any size. */
  get isInteger(): boolean {
    return !/[.eE]/.test(this.text);
  }

  /** The value in Go: a 64-bit integer (bigint beyond 2^53) or else a double, which may be infinite. */
  get value(): number | bigint {
    if (!this.isInteger) return Number(this.text);
    const integer = BigInt(this.text);
    return BigInt.asIntN(64, integer) === integer ? integerOf(integer) : Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }
}

/** A 64-bit integer of a decoded object: a number if that is exact, else a bigint. */
export function integerOf(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** A value that `JSON.stringify` writes as this text. */
export function rawJson(text: string): unknown {
  // TypeScript's library does not declare it; Node.js has it since version 21.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
