import type {
  Format,
  HeadPositions,
  ListSplitter,
  ObjectHead,
  ObjectIdentity,
  Splitter,
} from '../frames/format.ts';
import { malformedObject } from '../json/json-bytes.ts';
import { noPositions } from '../frames/head-positions.ts';
import { Envelope } from './envelope.ts';
import type { BuiltinKind, KindTable } from './kind-table.ts';
import { MessageDecoder } from './message-decoder.ts';
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
  /** Reused by synchronous calls; no result outlives its call. */
  readonly #reader = new ProtobufReader();
  readonly #envelope = new Envelope();
  readonly #decoder = new MessageDecoder();

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
      this.#open(buffer, from, to);
      scanObject(this.#reader, this.#envelope, positions);
    } catch (error) {
      throw this.#reported(error);
    } finally {
      this.#reader.release();
    }
  }

  identity(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectIdentity {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    this.#reader.start(buffer, from, to);
    try {
      return {
        kind: this.#text(positions.kindFrom, positions.kindTo),
        namespace: this.#text(positions.namespaceFrom, positions.namespaceTo),
        name: this.#text(positions.nameFrom, positions.nameTo),
        uid: this.#text(positions.uidFrom, positions.uidTo),
        resourceVersion: this.#text(positions.resourceVersionFrom, positions.resourceVersionTo),
      };
    } finally {
      this.#reader.release();
    }
  }

  head(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectHead {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    const metadata: ObjectMeta = {};
    const { metadataFrom, metadataTo } = positions;
    let apiVersion: string | undefined;
    let kind: string | undefined;
    try {
      this.#reader.start(buffer, from, to);
      apiVersion = this.#text(positions.apiVersionFrom, positions.apiVersionTo);
      kind = this.#text(positions.kindFrom, positions.kindTo);
      const type = this.#table.headMetadata;
      this.#decoder.decode(buffer, metadataFrom, metadataTo, type, metadata);
    } catch (error) {
      throw this.#reported(error);
    } finally {
      this.#reader.release();
    }
    if (apiVersion === undefined) return kind === undefined ? { metadata } : { kind, metadata };
    return kind === undefined ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }

  cutLength(from: number, to: number, positions: HeadPositions): number {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }

  /** Omits the envelope too, whose type is that of the watch. */
  cut(
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
    target: Uint8Array,
    at: number,
  ): number {
    try {
      this.#open(buffer, from, to);
      return cutObject(this.#reader, this.#envelope, positions, target, at);
    } finally {
      this.#reader.release();
    }
  }

  decode(buffer: Uint8Array, from: number, to: number): unknown {
    const object = {};
    try {
      this.#open(buffer, from, to);
      const { hasType, bodyFrom, bodyTo } = this.#envelope;
      const kind = hasType ? this.#type(object) : this.#kind;
      this.#decoder.decode(buffer, bodyFrom, bodyTo, kind.message, object);
    } catch (error) {
      throw this.#reported(error);
    } finally {
      this.#reader.release();
    }
    return object;
  }

  #reported(error: unknown): unknown {
    this.#onMalformed?.(this.#kind, error);
    return error;
  }

  #open(buffer: Uint8Array, from: number, to: number): void {
    this.#reader.start(buffer, from, to);
    this.#envelope.read(this.#reader);
  }

  /** Returns the type that the envelope names, and adds it to the object in the order of Go's encoder. */
  #type(object: { kind?: string; apiVersion?: string }): BuiltinKind {
    const { apiVersionFrom, apiVersionTo, kindFrom, kindTo } = this.#envelope;
    const apiVersion = this.#text(apiVersionFrom, apiVersionTo) ?? '';
    const kind = this.#text(kindFrom, kindTo) ?? '';
    const found = this.#table.find(apiVersion, kind);
    if (found === undefined) throw malformedObject('unknown kind');
    object.kind = kind;
    object.apiVersion = apiVersion;
    return found;
  }

  #text(from: number, to: number): string | undefined {
    if (from === -1) return undefined;
    this.#reader.at = from;
    return this.#reader.text(to);
  }
}
