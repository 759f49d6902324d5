import type { FrameBatch, ObjectName } from '@keelson/apimachinery';

/** The parameters of one page of a LIST. */
export interface ListRequest {
  /**
   * `"0"`: any version that the server has in memory. `""`: the newest. Otherwise: at least this
   * version.
   */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly limit?: number;
  readonly continue?: string;
  /** Selects only the object of this name. */
  readonly name?: ObjectName;
  readonly signal: AbortSignal;
}

/** The parameters of one WATCH request. */
export interface WatchRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /**
   * WatchList: the server sends the initial state as events and ends it with an annotated bookmark
   * (KEP-3157).
   */
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
}

/**
 * The source from which a reflector reads objects. The lister-watcher itself knows its namespace,
 * selectors and projection.
 * `@keelson/client` has one for HTTP; a test may yield plain objects instead of bytes. It throws
 * `StatusError` for errors of the API, also for an ERROR line at the start of a stream. A later
 * ERROR line is a frame.
 */
export interface ListerWatcher {
  /** Yields one page; the last batch carries the metadata of the list. */
  list(request: ListRequest): AsyncIterable<FrameBatch>;
  /** Ends when the server ends the stream normally; throws when the connection breaks. */
  watch(request: WatchRequest): AsyncIterable<FrameBatch>;
  /**
   * Reports whether the discovery of the server names the resource. The reflector calls it after a
   * 404, which a gateway may also send: only `false` means that every object is gone. Rejects if
   * discovery fails. Without this method, a 404 of a LIST means that the resource is not served.
   */
  isServed?(signal: AbortSignal): Promise<boolean>;
}
