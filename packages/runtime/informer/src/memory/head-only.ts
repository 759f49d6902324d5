import { jsonFormat } from '@keelson/wire';
import type { Encoding } from './encoding.ts';
import type { Slab } from './slab.ts';

/** The metadata of objects whose bodies were dropped. */
export const headOnly: Encoding = { format: jsonFormat, compression: undefined, isHeadOnly: true };

/** Returns an object without its body. Bytes that do not parse stay, so that a reader reports them. */
export function headOf(slab: Slab, slot: number): Uint8Array {
  const { buffer, from, to } = slab.text(slot);
  try {
    const { metadata } = slab.encoding.format.decode(buffer, from, to) as { metadata?: unknown };
    return Buffer.from(JSON.stringify({ metadata }));
  } catch {
    return buffer.subarray(from, to);
  }
}
