import { CodedError, type ListMeta, type ObjectMeta } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';

/** The type of one event in a watch response. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export const watchEventTypes: readonly WatchEventType[] = [
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
];

/** Returns the type of an event, or throws `UNKNOWN_EVENT_TYPE`. */
export function watchEventType(value: unknown): WatchEventType {
  if (watchEventTypes.includes(value as WatchEventType)) return value as WatchEventType;
  // The error shows only a word in the form of a type, because the server may have sent anything, such as a secret.
  const isWord = typeof value === 'string' && /^[A-Z]{1,32}$/.test(value);
  const facts = isWord ? { type: value } : {};
  throw new CodedError('UNKNOWN_EVENT_TYPE', wireErrors.UNKNOWN_EVENT_TYPE, facts);
}

/**
 * One object of a response, unparsed, because most events need only the identity of the object and its version, and
 * parsing would cost more than all other steps. A frame has the type of the event and the range of bytes that contains
 * the object. The range is valid only until the next step of the iteration that yielded the frame, so copy the bytes to
 * keep them. If a server writes members after an event's object, the range may include them, and `decode` omits them. A
 * source without bytes, such as one in a test, sets `object` instead. Items of a list have the type `ADDED`.
 */
export interface Frame {
  readonly type: WatchEventType;
  /** The format of the bytes, or `undefined` if `object` is set. */
  readonly format: Format | undefined;
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** The positions of the object's parts, if the splitter found them. Otherwise `scan` finds them. */
  readonly positions?: HeadPositions | undefined;
  /** The object itself, from a source without bytes. */
  readonly object?: unknown;
}

/** A frame of bytes. All frames have the same hidden class, which keeps the reading code fast. */
export class ByteFrame implements Frame {
  declare readonly type: WatchEventType;
  declare readonly format: Format;
  declare readonly buffer: Uint8Array;
  declare readonly from: number;
  declare readonly to: number;
  declare readonly positions: HeadPositions | undefined;

  constructor(
    format: Format,
    type: WatchEventType,
    buffer: Uint8Array,
    from: number,
    to: number,
    positions?: HeadPositions,
  ) {
    this.format = format;
    this.type = type;
    this.buffer = buffer;
    this.from = from;
    this.to = to;
    this.positions = positions;
  }
}

/**
 * The frames that one chunk of a response completed. An empty batch reports that the connection is active: a watch
 * yields one when its response begins, and one for each chunk that completes no frame.
 */
export interface FrameBatch {
  readonly frames: readonly Frame[];
  /** Monotonic time in milliseconds at which the bytes arrived. */
  readonly receivedAt: number;
  /** Set in the last batch of a list, and only there. */
  readonly listMetadata?: ListMeta;
}

/**
 * Processes one batch, whose frames are valid until it returns. Returns a promise if it needs more time; the frames then
 * stay valid until the promise settles, and the source passes no other batch before that.
 */
export type BatchConsumer = (batch: FrameBatch) => Promise<void> | undefined;

/**
 * The batches of a watch, for one reader. A source whose bytes arrive in callbacks may have `passTo` besides its
 * iterator, because the promises of an iterator cost more than the rest of the way of a single event.
 */
export interface WatchBatches extends AsyncIterable<FrameBatch> {
  /**
   * Passes the batches to `consume` as they arrive. Resolves at the end of the response; rejects if it breaks off or if
   * `consume` fails, which ends the request. Called instead of the iterator, and once.
   */
  passTo?(consume: BatchConsumer): Promise<void>;
}

/** Positions of the parts of one object in its buffer, or -1 for a missing part. */
export interface HeadPositions {
  apiVersionFrom: number;
  apiVersionTo: number;
  kindFrom: number;
  kindTo: number;
  /** The message of the object, without its envelope. Only in protobuf. */
  bodyFrom: number;
  bodyTo: number;
  /** The tag before the metadata. Only in protobuf. */
  metadataTagFrom: number;
  metadataFrom: number;
  metadataTo: number;
  /**
   * The range to cut. It includes the name of the member and one adjacent comma, so that the remaining bytes are valid
   * JSON.
   */
  managedFieldsFrom: number;
  managedFieldsTo: number;
  /** The ranges of the values in the metadata. In JSON they include the quotes. */
  nameFrom: number;
  nameTo: number;
  namespaceFrom: number;
  namespaceTo: number;
  uidFrom: number;
  uidTo: number;
  resourceVersionFrom: number;
  resourceVersionTo: number;
  /**
   * True if a metadata member has an escaped name, so that only a parser can identify it. If false, a
   * position of -1 means that the member is missing.
   */
  hasEscapedNames: boolean;
  /** True if the bytes contain `managedFields` more than once. The range is that of the last one. */
  managedFieldsRepeated: boolean;
  /** True if the scanned bytes contain the metadata more than once. The range is that of the last one. */
  metadataRepeated: boolean;
}

/** Returns positions in which every part is missing. */
export function noPositions(): HeadPositions {
  return {
    apiVersionFrom: -1,
    apiVersionTo: -1,
    kindFrom: -1,
    kindTo: -1,
    bodyFrom: -1,
    bodyTo: -1,
    metadataTagFrom: -1,
    metadataFrom: -1,
    metadataTo: -1,
    managedFieldsFrom: -1,
    managedFieldsTo: -1,
    nameFrom: -1,
    nameTo: -1,
    namespaceFrom: -1,
    namespaceTo: -1,
    uidFrom: -1,
    uidTo: -1,
    resourceVersionFrom: -1,
    resourceVersionTo: -1,
    hasEscapedNames: false,
    managedFieldsRepeated: false,
    metadataRepeated: false,
  };
}

/** Marks every part as missing. */
export function clearPositions(positions: HeadPositions): void {
  positions.apiVersionFrom = -1;
  positions.apiVersionTo = -1;
  positions.kindFrom = -1;
  positions.kindTo = -1;
  positions.bodyFrom = -1;
  positions.bodyTo = -1;
  positions.metadataTagFrom = -1;
  positions.metadataFrom = -1;
  positions.metadataTo = -1;
  positions.metadataRepeated = false;
  clearMetadata(positions);
}

/** Marks the parts of the metadata as missing, but not the metadata themselves. */
export function clearMetadata(positions: HeadPositions): void {
  positions.managedFieldsFrom = -1;
  positions.managedFieldsTo = -1;
  positions.managedFieldsRepeated = false;
  positions.hasEscapedNames = false;
  positions.nameFrom = -1;
  positions.nameTo = -1;
  positions.namespaceFrom = -1;
  positions.namespaceTo = -1;
  positions.uidFrom = -1;
  positions.uidTo = -1;
  positions.resourceVersionFrom = -1;
  positions.resourceVersionTo = -1;
}

/** The parts of an object that are read without parsing its body. */
export interface ObjectHead {
  readonly apiVersion?: string;
  readonly kind?: string;
  /** Metadata without `managedFields`. */
  readonly metadata: ObjectMeta;
}

/** The identity of an object and its version. */
export interface ObjectIdentity {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Splits the chunks of one response into frames. */
export interface Splitter {
  /**
   * Returns the frames that this chunk completes. Their ranges are valid until the next call, and the chunk
   * must not change until then. Throws if the bytes are not such a response; afterwards the splitter cannot
   * be used.
   */
  push(chunk: Uint8Array): readonly Frame[];
  /** Must be called at the end of the body. Throws if the body ended within a frame. */
  end(): void;
}

/**
 * A splitter of a list response. Its members have the type and the metadata of the list, which may follow the items in
 * the response.
 */
export interface ListSplitter extends Splitter {
  readonly apiVersion: string | undefined;
  /** The kind of the list, such as `PodList`. The caller must refuse any other kind. */
  readonly kind: string | undefined;
  readonly metadata: ListMeta | undefined;
  /** True once the member `items` has begun. It stays false for an object that is not a list. */
  readonly hasItems: boolean;
}

/**
 * A wire format: splits, inspects and decodes objects of one media type, and parses no more than necessary.
 * The Content-Type of the response selects it.
 */
export interface Format {
  readonly mediaType: string;
  listSplitter(): ListSplitter;
  watchSplitter(): Splitter;
  /** Returns an empty record for `scan` to fill; it may be reused for other objects. */
  positions(): HeadPositions;
  /**
   * Finds the parts of an object in one pass without allocation, and writes their positions to `positions`. It stops
   * when apiVersion, kind and metadata are known, and ignores later members of these names. Throws `MALFORMED_OBJECT`
   * for invalid bytes.
   */
  scan(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): void;
  /** Reads the identity of the object without parsing the metadata. */
  identity(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectIdentity;
  /**
   * Reads the metadata of an object without managedFields, and without a scan for positions. Of repeated metadata it
   * reads the first. Throws `MALFORMED_OBJECT` for invalid bytes.
   */
  metadata(buffer: Uint8Array, from: number, to: number): ObjectMeta;
  /** Reads apiVersion, kind and metadata without managedFields. `from` and `to` bound the object. */
  head(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectHead;
  /** Returns an upper bound of the bytes that `cut` writes. */
  cutLength(from: number, to: number, positions: HeadPositions): number;
  /** Copies the object without `managedFields` to `target` at `at`; returns the length written. */
  cut(
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
    target: Uint8Array,
    at: number,
  ): number;
  /** Parses the whole object. Omits members after it (see `Frame`). */
  decode(buffer: Uint8Array, from: number, to: number): unknown;
}
