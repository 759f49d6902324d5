/** A handle, the watch that serves it, and why no other watch does. */
export interface HandleRow {
  readonly owner: string;
  readonly required: boolean;
  /** The query of the handle as text. */
  readonly query: string;
  /** True if the watch has another query than the handle. */
  readonly isView: boolean;
  /** The watch to which the handle moves when that one is ready. */
  readonly movesTo: string | undefined;
  /** The other watches of the kind, the first 20, each with the reason why it does not serve the handle. */
  readonly others: readonly { readonly watch: string; readonly reason: string }[];
}

/** The handles of a watch. */
export interface WatchPage {
  readonly id: string;
  readonly handles: readonly HandleRow[];
}

/** An event of a watch, without the object. */
export interface WatchEventRow {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: string;
  readonly resourceVersion: string;
}

/** One message of the stream of a watch. */
export interface WatchMessage {
  readonly events: readonly WatchEventRow[];
  /** The number of events that were left out, because there were too many in a second. */
  readonly left: number;
  /** Why the watch has ended, and with it the stream; `undefined` in every other message. */
  readonly ended: string | undefined;
}
