import type { FrameBatch, ObjectName } from '@keelson/apimachinery';

/** What one list request asks for. */
export interface ListRequest {
  /** `"0"`: whatever the server has at hand; `""`: the newest; else at least this version. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly limit?: number;
  readonly continue?: string;
  /** Only the object of this name. */
  readonly name?: ObjectName;
  readonly signal: AbortSignal;
}

/** What one watch request asks for. */
export interface WatchRequest {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /** WatchList: the initial state comes as events, ended by an annotated bookmark (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
}

/**
 * Where a reflector gets its objects from. Selectors, namespace and projection are the
 * lister-watcher's own. `@keelson/client` offers one over HTTP; a scripted one may yield plain
 * objects. Errors of the API are thrown as `StatusError`, also one that comes as an ERROR line at
 * the opening of a stream; an ERROR line in the middle is a frame.
 */
export interface ListerWatcher {
  /** One page; the last batch carries the list's metadata. */
  list(request: ListRequest): AsyncIterable<FrameBatch>;
  /** Ends when the server ends the stream in an orderly way; throws when it broke. */
  watch(request: WatchRequest): AsyncIterable<FrameBatch>;
  /**
   * Whether the server's discovery names the resource. Asked after a 404, which a gateway may send as well:
   * only `false` means that every object is gone. Rejects if the server does not say. A source without it
   * is believed when it responds 404 to a LIST.
   */
  isServed?(signal: AbortSignal): Promise<boolean>;
}
