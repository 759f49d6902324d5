import type {
  Format,
  HeadPositions,
  ListSplitter,
  ObjectHead,
  ObjectIdentity,
  Splitter,
} from '../frames/format.ts';
import { asBuffer, malformedObject } from '../json/json-bytes.ts';
import { noPositions } from '../frames/head-positions.ts';
import { readEnvelope } from './envelope.ts';
import type { BuiltinKind, KindTable } from './kind-table.ts';
import { decodeMessage } from './message-decoder.ts';
import { cutObject } from './metadata-cut.ts';
import { scanObject } from './object-scanner.ts';
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
      decodeMessage(buffer, metadataFrom, metadataTo, this.#table.headMetadata, metadata);
    } catch (error) {
      throw this.#reported(error);
    }
    if (apiVersion === undefined) return kind === undefined ? { metadata } : { kind, metadata };
    return kind === undefined ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }

  cutLength(from: number, to: number, positions: HeadPositions): number {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }

  /** Omits the envelope as well: its type is that of the watch, so `decode` does not need it. */
  cut(
    buffer: Uint8Array,
    _from: number,
    _to: number,
    positions: HeadPositions,
    target: Uint8Array,
    at: number,
  ): number {
    return cutObject(asBuffer(buffer), positions, target, at);
  }

  decode(buffer: Uint8Array, from: number, to: number): unknown {
    const object = {};
    try {
      const reader = new ProtobufReader(buffer, from, to);
      const positions = noPositions();
      readEnvelope(reader, positions);
      const { bodyFrom, bodyTo, apiVersionFrom, kindFrom } = positions;
      const hasType = apiVersionFrom !== -1 || kindFrom !== -1;
      const kind = hasType ? this.#type(reader, positions, object) : this.#kind;
      decodeMessage(buffer, bodyFrom, bodyTo, kind.message, object);
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
   * Returns the kind that the envelope names, and adds `kind` and `apiVersion` to the object in the order of Go's
   * encoder.
   */
  #type(
    reader: ProtobufReader,
    { apiVersionFrom, apiVersionTo, kindFrom, kindTo }: HeadPositions,
    object: { kind?: string; apiVersion?: string },
  ): BuiltinKind {
    const apiVersion = reader.textAt(apiVersionFrom, apiVersionTo) ?? '';
    const kind = reader.textAt(kindFrom, kindTo) ?? '';
    const found = this.#table.find(apiVersion, kind);
    if (found === undefined) throw malformedObject('unknown kind');
    object.kind = kind;
    object.apiVersion = apiVersion;
    return found;
  }
}
