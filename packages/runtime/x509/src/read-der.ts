/** One value of a DER encoding (ITU-T X.690). */
export interface DerValue {
  readonly tag: number;
  /** The content, without tag and length. */
  readonly content: Buffer;
  /** The whole encoding: tag, length and content. */
  readonly encoded: Buffer;
}

/** The tags that certificate requests use. */
export const derTags = { integer: 2, bitString: 3, oid: 6, sequence: 0x30, set: 0x31 } as const;

const MAX_LENGTH_BYTES = 4;

/** Reads the values that follow each other in a buffer. Throws a `RangeError` if one is truncated. */
export function readDer(buffer: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < buffer.length;) {
    const value = readOne(buffer.subarray(at));
    values.push(value);
    at += value.encoded.length;
  }
  return values;
}

function readOne(buffer: Buffer): DerValue {
  const tag = buffer.readUInt8(0);
  const first = buffer.readUInt8(1);
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > MAX_LENGTH_BYTES) throw new RangeError('the length of the value is too large');
  const length = lengthBytes === 0 ? first : buffer.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + length > buffer.length) throw new RangeError('the value is truncated');
  const encoded = buffer.subarray(0, start + length);
  return { tag, content: encoded.subarray(start), encoded };
}

/** Returns the dotted text of an object identifier: `2.5.4.10`. */
export function oidText({ content }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  const [first = 0, ...others] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join('.');
}
