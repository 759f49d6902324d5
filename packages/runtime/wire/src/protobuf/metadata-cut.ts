import type { HeadPositions } from '../frames/format.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { METADATA } from './object-scanner.ts';

/**
 * Copies the message of an object without its envelope and `managedFields` to `target`, and writes the new length of
 * the metadata. Returns the number of bytes written.
 */
export function cutObject(
  bytes: Buffer,
  positions: HeadPositions,
  target: Uint8Array,
  at: number,
): number {
  const { bodyFrom, bodyTo, metadataTagFrom, metadataFrom, metadataTo } = positions;
  const { managedFieldsFrom, managedFieldsTo } = positions;
  if (bodyFrom === -1) throw malformedObject('the envelope is empty');
  if (managedFieldsFrom === -1) return bytes.copy(target, at, bodyFrom, bodyTo);
  const length = metadataTo - metadataFrom - (managedFieldsTo - managedFieldsFrom);
  let end = at + bytes.copy(target, at, bodyFrom, metadataTagFrom);
  target[end++] = METADATA;
  end = writeLength(target, end, length);
  end += bytes.copy(target, end, metadataFrom, managedFieldsFrom);
  end += bytes.copy(target, end, managedFieldsTo, metadataTo);
  return end + bytes.copy(target, end, metadataTo, bodyTo) - at;
}

function writeLength(target: Uint8Array, at: number, length: number): number {
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}
