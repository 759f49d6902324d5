import { malformedObject } from '../json/json-bytes.ts';
import { BYTES, type ProtobufReader } from './protobuf-reader.ts';

/**
 * The bytes that precede a `runtime.Unknown`, which contains the type of an object and its message. No message can
 * begin with them, because `k` would be the tag of a group.
 */
export const MAGIC: Buffer = Buffer.from('k8s\0');

/** The fields of `runtime.Unknown`, each with its wire type. */
export const TYPE_META: number = 1 * 8 + BYTES;
export const RAW: number = 2 * 8 + BYTES;
export const CONTENT_ENCODING: number = 3 * 8 + BYTES;
export const CONTENT_TYPE: number = 4 * 8 + BYTES;

const API_VERSION = 1 * 8 + BYTES;
const KIND = 2 * 8 + BYTES;
const MISSING = -1;

/** Positions in an object that may have an envelope; reused for other objects. */
export class Envelope {
  /** False for an item of a list, which is a message without an envelope. */
  isThere: boolean = false;
  apiVersionFrom: number = MISSING;
  apiVersionTo: number = MISSING;
  kindFrom: number = MISSING;
  kindTo: number = MISSING;
  bodyFrom: number = MISSING;
  bodyTo: number = MISSING;

  /** Reads up to `reader.to`. Throws `MALFORMED_OBJECT` unless there is exactly one message. */
  read(reader: ProtobufReader): void {
    this.bodyFrom = reader.at;
    this.bodyTo = reader.to;
    this.#clearType();
    this.isThere = hasMagic(reader);
    if (!this.isThere) return;
    reader.at += MAGIC.length;
    this.bodyFrom = MISSING;
    while (reader.at < reader.to) this.#field(reader);
    if (this.bodyFrom === MISSING) throw malformedObject('the envelope is empty');
  }

  /** Reads the message `TypeMeta` up to `reader.to`. An empty string is missing. */
  readType(reader: ProtobufReader): void {
    this.#clearType();
    while (reader.at < reader.to) {
      const tag = reader.small();
      const end = reader.end();
      const from = end === reader.at ? MISSING : reader.at;
      const to = from === MISSING ? MISSING : end;
      if (tag === API_VERSION) {
        this.apiVersionFrom = from;
        this.apiVersionTo = to;
      } else if (tag === KIND) {
        this.kindFrom = from;
        this.kindTo = to;
      } else throw malformedObject('unknown field');
      reader.at = end;
    }
  }

  #field(reader: ProtobufReader): void {
    const tag = reader.small();
    const end = reader.end();
    const outer = reader.to;
    if (tag === TYPE_META) {
      reader.to = end;
      this.readType(reader);
      reader.to = outer;
    } else if (tag === RAW && this.bodyFrom === MISSING) {
      this.bodyFrom = reader.at;
      this.bodyTo = end;
    } else expectNoContent(tag, end - reader.at);
    reader.at = end;
  }

  /** True if the envelope names a type. */
  get hasType(): boolean {
    return this.apiVersionFrom !== MISSING || this.kindFrom !== MISSING;
  }

  #clearType(): void {
    this.apiVersionFrom = MISSING;
    this.apiVersionTo = MISSING;
    this.kindFrom = MISSING;
    this.kindTo = MISSING;
  }
}

/** API servers send the other fields without a value: the message is neither compressed nor of another type. */
export function expectNoContent(tag: number, length: number): void {
  const isContent = tag === CONTENT_ENCODING || tag === CONTENT_TYPE;
  if (!isContent || length > 0) throw malformedObject('unknown envelope');
}

function hasMagic({ bytes, at, to }: ProtobufReader): boolean {
  if (to - at < MAGIC.length) return false;
  for (let i = 0; i < MAGIC.length; i++) if (bytes[at + i] !== MAGIC[i]) return false;
  return true;
}
