/**
 * A number of a JSON text as it is written, kept where a JavaScript number would lose digits or its form: `80.0`, `1e2`,
 * `9007199254740993`. Bodies and patches hold it until the object is decoded; decoded objects hold numbers and bigints.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether it is written as Go writes an integer, of whatever size. */
  get isInteger(): boolean {
    return !/[.eE]/.test(this.text);
  }

  /** The number that Go reads: a 64-bit integer, as bigint beyond 2^53, or else a double. It may be infinite. */
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

/** A 64-bit integer as a decoded object holds it: a number as long as that is exact. */
export function integerOf(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** A JSON value that `JSON.stringify` writes as this text. */
export function rawJson(text: string): unknown {
  // The library of the compiler does not declare it; Node.js has it since version 21.
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
