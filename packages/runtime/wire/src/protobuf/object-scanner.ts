import { clearPositions, type HeadPositions } from '../frames/format.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { readEnvelope, type EnvelopePositions } from './envelope.ts';
import { BYTES, type ProtobufReader } from './protobuf-reader.ts';

/** The tag of the metadata, which is the same in every kind that has metadata. */
export const METADATA: number = 1 * 8 + BYTES;

/** The tags of the fields of `ObjectMeta` that a scan records. */
const NAME = 1 * 8 + BYTES;
const NAMESPACE = 3 * 8 + BYTES;
const UID = 5 * 8 + BYTES;
const RESOURCE_VERSION = 6 * 8 + BYTES;
export const MANAGED_FIELDS: number = 17 * 8 + BYTES;

const MISSING = -1;

/**
 * Records the positions of an object's head. An empty string counts as missing, because protobuf sends it where JSON
 * has no member. The ranges contain the values without tags and lengths, except that of `managedFields`, which contains
 * whole fields.
 */
export function scanObject(reader: ProtobufReader, positions: HeadPositions): void {
  clearPositions(positions);
  const tagFrom = findMetadata(reader, positions);
  if (tagFrom === MISSING) return;
  positions.metadataTagFrom = tagFrom;
  positions.metadataFrom = reader.at;
  positions.metadataTo = reader.to;
  scanMetadata(reader, positions);
}

/**
 * Makes the reader read the message of the metadata, and records the positions of the envelope. Returns the position of
 * the tag before it; -1 without metadata.
 */
export function findMetadata(reader: ProtobufReader, envelope: EnvelopePositions): number {
  readEnvelope(reader, envelope);
  reader.at = envelope.bodyFrom;
  reader.to = envelope.bodyTo;
  while (reader.at < reader.to) {
    const tagFrom = reader.at;
    const tag = reader.small();
    if (tag === METADATA) {
      reader.to = reader.end();
      return tagFrom;
    }
    reader.skip(tag);
  }
  return MISSING;
}

function scanMetadata(reader: ProtobufReader, positions: HeadPositions): void {
  while (reader.at < reader.to) {
    const fieldFrom = reader.at;
    const tag = reader.small();
    if ((tag & 7) !== BYTES) {
      reader.skip(tag);
      continue;
    }
    const end = reader.end();
    const from = end === reader.at ? MISSING : reader.at;
    const to = from === MISSING ? MISSING : end;
    if (tag === NAME) {
      positions.nameFrom = from;
      positions.nameTo = to;
    } else if (tag === NAMESPACE) {
      positions.namespaceFrom = from;
      positions.namespaceTo = to;
    } else if (tag === UID) {
      positions.uidFrom = from;
      positions.uidTo = to;
    } else if (tag === RESOURCE_VERSION) {
      positions.resourceVersionFrom = from;
      positions.resourceVersionTo = to;
    } else if (tag === MANAGED_FIELDS) {
      noteManagedFields(positions, fieldFrom, end);
    }
    reader.at = end;
  }
}

/**
 * Extends the range of `managedFields` by one entry. Throws if another field is between two entries, which no server
 * writes.
 */
function noteManagedFields(positions: HeadPositions, from: number, to: number): void {
  if (positions.managedFieldsFrom === MISSING) positions.managedFieldsFrom = from;
  else if (positions.managedFieldsTo !== from) throw malformedObject('managedFields are scattered');
  positions.managedFieldsTo = to;
}
