import type { HeadPositions } from '../frames/format.ts';
import type { Envelope } from './envelope.ts';
import { METADATA } from './object-scanner.ts';
import type { ProtobufReader } from './protobuf-reader.ts';

/**
 * Copies the message of an object without its envelope and `managedFields` to `target`, with the length of the metadata
 * repaired. Returns the number of bytes written.
 */
export function cutObject(
  reader: ProtobufReader,
  { bodyFrom, bodyTo }: Envelope,
  positions: HeadPositions,
  target: Uint8Array,
  at: number,
): number {
  const { bytes } = reader;
  const { metadataTo, managedFieldsFrom, managedFieldsTo } = positions;
  if (managedFieldsFrom === -1) return bytes.copy(target, at, bodyFrom, bodyTo);
  const metadataFrom = positions.metadataFrom;
  const length = metadataTo - metadataFrom - (managedFieldsTo - managedFieldsFrom);
  let end = at + bytes.copy(target, at, bodyFrom, tagBefore(reader, bodyFrom, metadataFrom));
  target[end++] = METADATA;
  end = writeLength(target, end, length);
  end += bytes.copy(target, end, metadataFrom, managedFieldsFrom);
  end += bytes.copy(target, end, managedFieldsTo, metadataTo);
  return end + bytes.copy(target, end, metadataTo, bodyTo) - at;
}

/** Returns the position of the tag of the metadata, usually that of the message itself. */
function tagBefore(reader: ProtobufReader, bodyFrom: number, metadataFrom: number): number {
  reader.at = bodyFrom;
  reader.to = metadataFrom;
  for (;;) {
    const tagFrom = reader.at;
    const tag = reader.small();
    if (tag === METADATA) return tagFrom;
    reader.skip(tag);
  }
}

function writeLength(target: Uint8Array, at: number, length: number): number {
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}
