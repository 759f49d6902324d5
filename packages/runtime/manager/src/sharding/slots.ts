/** The number of slots. Every key belongs to one of them. A change would give keys two owners, so it is constant. */
export const SLOTS = 1024;

const encoder = new TextEncoder();

/** Returns the slot of a key: a number from 0 to 1023. Names such as `t0` to `t23` spread as evenly as random ones. */
export function slotOf(key: string): number {
  return murmur3(encoder.encode(key)) % SLOTS;
}

/** MurmurHash3 (x86, 32 bits) with the seed 0. */
export function murmur3(bytes: Uint8Array): number {
  const whole = bytes.length & ~3;
  const blocks = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash ^= mixed(blocks.getUint32(at, true));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at -= 1) tail = (tail << 8) | (bytes[at] ?? 0);
  if (bytes.length > whole) hash ^= mixed(tail);
  return finalized(hash ^ bytes.length);
}

/** The finalizer of MurmurHash3: each bit of the input changes each bit of the result with probability one half. */
export function finalized(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
