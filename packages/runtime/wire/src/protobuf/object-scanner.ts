import { clearPositions, type HeadPositions } from '../frames/format.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { BYTES, type ProtobufReader } from './protobuf-reader.ts';

/** The tag of the metadata, which is the same in every kind that has metadata. */
export const METADATA: number = 1 * 8 + BYTES;

/** The tags of the fields of `ObjectMeta` that a scan records. */
const NAME = 1 * 8 + BYTES;
const NAMESPACE = 3 * 8 + BYTES;
const UID = 5 * 8 + BYTES;
const RESOURCE_VERSION = 6 * 8 + BYTES;
const MANAGED_FIELDS = 17 * 8 + BYTES;

const MISSING = -1;

/**
 * Records the positions of an object's head. An empty string counts as missing, because protobuf sends it where JSON
 * has no member. The ranges contain the values without tags and lengths, except that of `managedFields`, which contains
 * whole fields.
 */
export function scanObject(reader: ProtobufReader, positions: HeadPositions): void {
  clearPositions(positions);
  readEnvelope(reader, positions);
  const tagFrom = findMetadata(reader);
  if (tagFrom === MISSING) return;
  positions.metadataTagFrom = tagFrom;
  positions.metadataFrom = reader.at;
  positions.metadataTo = reader.to;
  scanMetadata(reader, positions);
}

/**
 * Makes a reader of the message of an object read that of its metadata. Returns the position of the tag before it; -1
 * without metadata.
 */
export function findMetadata(reader: ProtobufReader): number {
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

/**
 * The bytes that precede a `runtime.Unknown`, which contains the type of an object and its message. No message can
 * begin with them, because `k` would be the tag of a group.
 */
export const MAGIC: Buffer = Buffer.from('k8s\0');
const MAGIC_NUMBER = MAGIC.readUInt32BE(0);
const [FIRST_OF_MAGIC] = MAGIC;

/** The fields of `runtime.Unknown`, each with its wire type. */
export const TYPE_META: number = 1 * 8 + BYTES;
export const RAW: number = 2 * 8 + BYTES;
const CONTENT_ENCODING: number = 3 * 8 + BYTES;
const CONTENT_TYPE: number = 4 * 8 + BYTES;

const API_VERSION = 1 * 8 + BYTES;
const KIND = 2 * 8 + BYTES;

/** True if the reader is at the start of an envelope. An item of a list and an object in a store have none. */
export function hasEnvelope({ bytes, at, to }: ProtobufReader): boolean {
  return (
    to - at >= MAGIC.length &&
    bytes[at] === FIRST_OF_MAGIC &&
    bytes.readUInt32BE(at) === MAGIC_NUMBER
  );
}

/**
 * Reads the envelope of an object up to `reader.to`, records its positions, and makes the reader read the message in it.
 * Without an envelope all bytes are the message. Throws `MALFORMED_OBJECT` unless there is exactly one message.
 */
export function readEnvelope(reader: ProtobufReader, positions: HeadPositions): void {
  const { at, to } = reader;
  positions.bodyFrom = at;
  positions.bodyTo = to;
  if (!hasEnvelope(reader)) return;
  reader.at += MAGIC.length;
  positions.bodyFrom = MISSING;
  while (reader.at < to) {
    const tag = reader.small();
    const end = reader.end();
    if (tag === TYPE_META) readType(reader, end, positions);
    else if (tag === RAW && positions.bodyFrom === MISSING) {
      positions.bodyFrom = reader.at;
      positions.bodyTo = end;
    } else expectNoContent(tag, end - reader.at);
    reader.at = end;
  }
  if (positions.bodyFrom === MISSING) throw malformedObject('the envelope is empty');
  reader.at = positions.bodyFrom;
  reader.to = positions.bodyTo;
}

/** Reads the message `TypeMeta` up to `end`. An empty string counts as missing. */
export function readType(reader: ProtobufReader, end: number, positions: HeadPositions): void {
  const outer = reader.to;
  reader.to = end;
  positions.apiVersionFrom = MISSING;
  positions.apiVersionTo = MISSING;
  positions.kindFrom = MISSING;
  positions.kindTo = MISSING;
  while (reader.at < end) {
    const tag = reader.small();
    const fieldEnd = reader.end();
    const from = fieldEnd === reader.at ? MISSING : reader.at;
    const to = from === MISSING ? MISSING : fieldEnd;
    if (tag === API_VERSION) {
      positions.apiVersionFrom = from;
      positions.apiVersionTo = to;
    } else if (tag === KIND) {
      positions.kindFrom = from;
      positions.kindTo = to;
    } else throw malformedObject('unknown field');
    reader.at = fieldEnd;
  }
  reader.to = outer;
}

/**
 * Throws for a field of the envelope that has a value but is neither the type nor the message. API servers leave these
 * fields empty, because the message is neither compressed nor in another encoding.
 */
export function expectNoContent(tag: number, length: number): void {
  const isContent = tag === CONTENT_ENCODING || tag === CONTENT_TYPE;
  if (!isContent || length > 0) throw malformedObject('unknown envelope');
}
