import type { HeadPositions } from '../frames/format.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { BYTES, type ProtobufReader } from './protobuf-reader.ts';

/**
 * The bytes that precede a `runtime.Unknown`, which contains the type of an object and its message. No message can
 * begin with them, because `k` would be the tag of a group.
 */
export const MAGIC: Buffer = Buffer.from('k8s\0');
const MAGIC_NUMBER = MAGIC.readUInt32BE(0);

/** The fields of `runtime.Unknown`, each with its wire type. */
export const TYPE_META: number = 1 * 8 + BYTES;
export const RAW: number = 2 * 8 + BYTES;
const CONTENT_ENCODING: number = 3 * 8 + BYTES;
const CONTENT_TYPE: number = 4 * 8 + BYTES;

const API_VERSION = 1 * 8 + BYTES;
const KIND = 2 * 8 + BYTES;
const MISSING = -1;

/** The positions of the parts of an envelope: the type that it names, and its message. */
export type EnvelopePositions = Pick<
  HeadPositions,
  'apiVersionFrom' | 'apiVersionTo' | 'kindFrom' | 'kindTo' | 'bodyFrom' | 'bodyTo'
>;

/** The positions without an envelope. */
export const noEnvelope: Readonly<EnvelopePositions> = {
  apiVersionFrom: MISSING,
  apiVersionTo: MISSING,
  kindFrom: MISSING,
  kindTo: MISSING,
  bodyFrom: MISSING,
  bodyTo: MISSING,
};

/**
 * Reads the envelope of an object up to `reader.to` and records its positions. Without an envelope, as for an item of a
 * list, all bytes are the message. Throws `MALFORMED_OBJECT` unless there is exactly one message.
 */
export function readEnvelope(reader: ProtobufReader, positions: EnvelopePositions): void {
  const { bytes, at, to } = reader;
  positions.bodyFrom = at;
  positions.bodyTo = to;
  if (to - at < MAGIC.length || bytes.readUInt32BE(at) !== MAGIC_NUMBER) return;
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
}

/** Reads the message `TypeMeta` up to `end`. An empty string counts as missing. */
export function readType(reader: ProtobufReader, end: number, positions: EnvelopePositions): void {
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
