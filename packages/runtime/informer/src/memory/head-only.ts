import { jsonFormat } from '@keelson/wire';
import type { Encoding } from './encoding.ts';
import type { Slab } from './slab-pool.ts';

/** The encoding of slabs with only the metadata of their objects, as JSON. */
export const headOnly: Encoding = { format: jsonFormat, compression: undefined, isHeadOnly: true };

/**
 * Returns the metadata of an object as JSON. Bytes that do not parse are returned unchanged, so that a later reader
 * reports them.
 */
export function headOf(slab: Slab, slot: number): Uint8Array {
  const { buffer, from, to } = slab.text(slot);
  try {
    const { metadata } = slab.encoding.format.decode(buffer, from, to) as { metadata?: unknown };
    return Buffer.from(JSON.stringify({ metadata }));
  } catch {
    return buffer.subarray(from, to);
  }
}
