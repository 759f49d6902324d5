import type { ListMeta, ObjectMeta } from '../objects/kubernetes-object.ts';

/** The type of a line of a watch. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/**
 * One object on its way from the socket to a store: the event's type and the range of bytes that
 * hold the object, unparsed. The range is valid only until the next step of the iteration that
 * yielded it: whoever keeps it, copies it. If a server puts more members behind an event's object, the
 * range may go on to the end of them, and `decode` leaves them out. A scripted source sets `object` instead of bytes.
 * Items of a list come as `ADDED`.
 */
export interface Frame {
  readonly type: WatchEventType;
  /** How the bytes are to be read; `undefined` where `object` is set. */
  readonly format: Format | undefined;
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** What the splitter found of the object on its way; absent: `scan` finds it. */
  readonly positions?: HeadPositions | undefined;
  /** The object itself, from a source that has no bytes. */
  readonly object?: unknown;
}

/**
 * The frames that one chunk of a response completed. An empty batch is a sign of life: the first
 * batch of a watch comes when its response begins, and one comes for a chunk that ends no frame.
 */
export interface FrameBatch {
  readonly frames: readonly Frame[];
  /** Monotonic milliseconds at which the bytes arrived. */
  readonly receivedAt: number;
  /** Only in the last batch of a list, and always there. */
  readonly listMetadata?: ListMeta;
}

/** Where the parts of one object's bytes are in its buffer; -1 where a part is absent. */
export interface HeadPositions {
  apiVersionFrom: number;
  apiVersionTo: number;
  kindFrom: number;
  kindTo: number;
  metadataFrom: number;
  metadataTo: number;
  /** With the member's name and one of the commas beside it, so that the rest stays well formed. */
  managedFieldsFrom: number;
  managedFieldsTo: number;
  /** The values of members of the metadata, with their quotes. */
  nameFrom: number;
  nameTo: number;
  namespaceFrom: number;
  namespaceTo: number;
  uidFrom: number;
  uidTo: number;
  resourceVersionFrom: number;
  resourceVersionTo: number;
  /**
   * True when a member of the metadata is named with escapes, so that only a parser knows which one it
   * is. Without it a position of -1 means that the member is absent.
   */
  hasEscapedNames: boolean;
  /** True when the bytes name `managedFields` more than once; the range is the last one's. */
  managedFieldsRepeated: boolean;
}

/** What is known of an object without parsing its body. */
export interface ObjectHead {
  readonly apiVersion?: string;
  readonly kind?: string;
  /** Without `managedFields`. */
  readonly metadata: ObjectMeta;
}

/** What tells an object and its version from all others. */
export interface ObjectIdentity {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Cuts the chunks of a response into frames. One per response. */
export interface Splitter {
  /**
   * The frames that this chunk completes; their ranges are valid until the next call, and the chunk
   * must stay untouched until then. Throws when the bytes are not such a response; the splitter is
   * of no further use then.
   */
  push(chunk: Uint8Array): readonly Frame[];
  /** Called at the end of the body; throws when it ended in the middle of a frame. */
  end(): void;
}

/** A splitter of a list response. What stands outside the items is known at the end at the latest. */
export interface ListSplitter extends Splitter {
  readonly apiVersion: string | undefined;
  /** Of the list: `PodList`. A `Table` or a `Status` is no list of objects: its reader refuses it. */
  readonly kind: string | undefined;
  readonly metadata: ListMeta | undefined;
}

/**
 * A wire format: how objects of one media type are split, looked into and decoded without parsing
 * more than is asked for. Chosen by the Content-Type of the answer.
 */
export interface Format {
  readonly mediaType: string;
  listSplitter(): ListSplitter;
  watchSplitter(): Splitter;
  /** An empty position record for `scan` to fill, reused from object to object. */
  positions(): HeadPositions;
  /**
   * Fills `positions`; one pass, no allocation. Throws `MALFORMED_OBJECT` on broken bytes. It stops
   * as soon as apiVersion, kind and metadata are known, and does not look for a second one of them.
   */
  scan(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): void;
  /** Reads what tells the object from others, without parsing the metadata. */
  identity(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectIdentity;
  /** Reads apiVersion, kind and metadata (without managedFields). `from`/`to` bound the object. */
  head(buffer: Uint8Array, from: number, to: number, positions: HeadPositions): ObjectHead;
  /** An upper bound of what `cut` writes. */
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
  /** Parses the object whole, without members of a watch event that may follow it in the range. */
  decode(buffer: Uint8Array, from: number, to: number): unknown;
}
