import {
  noPositions,
  type Format,
  type HeadPositions,
  type ListSplitter,
  type ObjectHead,
  type ObjectIdentity,
  type Splitter,
} from '../frames/format.ts';
import { asBuffer, malformedObject } from '../json/json-bytes.ts';
import { findMetadata, hasEnvelope, METADATA, readEnvelope, scanObject } from './object-scanner.ts';
import type { BuiltinKind, KindTable } from './kind-table.ts';
import { decodeMessage } from './message-decoder.ts';
import type { MessageType } from './message-type.ts';
import { ProtobufListSplitter } from './protobuf-list-splitter.ts';
import { ProtobufReader } from './protobuf-reader.ts';
import { ProtobufWatchSplitter } from './protobuf-watch-splitter.ts';
import type { ObjectMeta } from '@keelson/apimachinery';

/** Receives the kind of a response or an object whose bytes are malformed, and the error. */
export type OnMalformed = (kind: BuiltinKind, error: unknown) => void;

/** The media type of protobuf in requests and responses. */
export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * The protobuf format of one built-in kind. An object is either its message alone, as in the items of a list, or in an
 * envelope that names its type. The envelope decides, so an ERROR event is decoded as the Status that it contains.
 */
export class ProtobufFormat implements Format {
  readonly mediaType: string = PROTOBUF_MEDIA_TYPE;
  readonly #table: KindTable;
  readonly #kind: BuiltinKind;
  readonly #onMalformed: OnMalformed | undefined;
  #message: MessageType | undefined;

  constructor(table: KindTable, kind: BuiltinKind, onMalformed?: OnMalformed) {
    this.#table = table;
    this.#kind = kind;
    this.#onMalformed = onMalformed;
  }

  listSplitter(): ListSplitter {
    return new ProtobufListSplitter(this, this.#table, (error) => this.#reported(error));
  }

  watchSplitter(): Splitter {
    return new ProtobufWatchSplitter(this, (error) => this.#reported(error));
  }

  positions(): HeadPositions {
    return noPositions();
  }

  scan(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): void {
    try {
      scanObject(new ProtobufReader(buffer, from, to), positions);
    } catch (error) {
      throw this.#reported(error);
    }
  }

  identity(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectIdentity {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    const reader = new ProtobufReader(buffer, from, to);
    return {
      kind: reader.textAt(positions.kindFrom, positions.kindTo),
      namespace: reader.textAt(positions.namespaceFrom, positions.namespaceTo),
      name: reader.textAt(positions.nameFrom, positions.nameTo),
      uid: reader.textAt(positions.uidFrom, positions.uidTo),
      resourceVersion: reader.textAt(positions.resourceVersionFrom, positions.resourceVersionTo),
    };
  }

  metadata(buffer: Uint8Array, from: number, to: number): ObjectMeta {
    const metadata: ObjectMeta = {};
    try {
      const reader = new ProtobufReader(buffer, from, to);
      if (hasEnvelope(reader)) readEnvelope(reader, noPositions());
      if (findMetadata(reader) === -1) throw malformedObject('no metadata');
      decodeMessage(reader, this.#table.headMetadata, metadata);
    } catch (error) {
      throw this.#reported(error);
    }
    return metadata;
  }

  head(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectHead {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    const metadata: ObjectMeta = {};
    const { metadataFrom, metadataTo } = positions;
    let apiVersion: string | undefined;
    let kind: string | undefined;
    try {
      const reader = new ProtobufReader(buffer, from, to);
      apiVersion = reader.textAt(positions.apiVersionFrom, positions.apiVersionTo);
      kind = reader.textAt(positions.kindFrom, positions.kindTo);
      reader.at = metadataFrom;
      reader.to = metadataTo;
      decodeMessage(reader, this.#table.headMetadata, metadata);
    } catch (error) {
      throw this.#reported(error);
    }
    if (apiVersion === undefined) return kind === undefined ? { metadata } : { kind, metadata };
    return kind === undefined ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }

  cutLength(from: number, to: number, positions: HeadPositions): number {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }

  /**
   * Copies the message of an object and writes the new length of the metadata. Omits the envelope as well: its type is
   * that of the watch, so `decode` does not need it.
   */
  cut(
    buffer: Uint8Array,
    _from: number,
    _to: number,
    positions: HeadPositions,
    target: Uint8Array,
    at: number,
  ): number {
    const bytes = Buffer.isBuffer(buffer) ? buffer : asBuffer(buffer);
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

  decode(buffer: Uint8Array, from: number, to: number): unknown {
    const object = {};
    try {
      const reader = new ProtobufReader(buffer, from, to);
      const message = hasEnvelope(reader) ? this.#enter(reader, object) : undefined;
      decodeMessage(reader, message ?? (this.#message ??= this.#kind.message), object);
    } catch (error) {
      throw this.#reported(error);
    }
    return object;
  }

  #reported(error: unknown): unknown {
    this.#onMalformed?.(this.#kind, error);
    return error;
  }

  /**
   * Makes the reader read the message in an envelope, and returns the type that the envelope names. Adds `kind` and
   * `apiVersion` to the object in the order of Go's encoder. Returns `undefined` for an envelope that names no type.
   */
  #enter(
    reader: ProtobufReader,
    object: { kind?: string; apiVersion?: string },
  ): MessageType | undefined {
    const positions = noPositions();
    readEnvelope(reader, positions);
    const { apiVersionFrom, apiVersionTo, kindFrom, kindTo, bodyFrom } = positions;
    if (apiVersionFrom === -1 && kindFrom === -1) return undefined;
    const apiVersion = reader.textAt(apiVersionFrom, apiVersionTo) ?? '';
    const kind = reader.textAt(kindFrom, kindTo) ?? '';
    reader.at = bodyFrom;
    const found = this.#table.find(apiVersion, kind);
    if (found === undefined) throw malformedObject('unknown kind');
    object.kind = kind;
    object.apiVersion = apiVersion;
    return found.message;
  }
}

function writeLength(target: Uint8Array, at: number, length: number): number {
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80;
  target[at++] = rest;
  return at;
}
