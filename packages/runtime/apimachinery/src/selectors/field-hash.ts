const encoder = new TextEncoder();

/** The lower 32 bits of the prime of FNV-1a with 64 bits; its only other bit is bit 40. */
const PRIME_LOW = 0x1b3;
const WORD = 2 ** 32;

/** A hash of 64 bits as two unsigned numbers of 32 bits. */
export interface FieldHash {
  readonly high: number;
  readonly low: number;
}

/**
 * Returns the hash by which the `shardSelector` of a list or watch selects objects: FNV-1a with 64 bits over the UTF-8
 * bytes of a field (KEP-5866).
 */
export function fieldHash(value: string): FieldHash {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of encoder.encode(value)) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / WORD) + (low << 8)) >>> 0;
    low = product % WORD;
  }
  return { high, low };
}
