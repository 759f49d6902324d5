import { checkMethods, examineResult, type ObjectName } from '@keelson/apimachinery';
import type { FrameBatch, WatchBatches } from '@keelson/wire';
import type { PartSelection } from './watch-part.ts';

/** Requests one page of a LIST: the version, the size and the continue token. */
export interface ListRequest extends PartSelection {
  /**
   * `"0"`: any version that the server has in memory. `""`: the newest. Otherwise: at least this
   * version.
   */
  readonly resourceVersion?: string;
  /** How `resourceVersion` is matched. Default: the rule of the server for this version. */
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  /** The number of objects in one page. Default: no limit. */
  readonly limit?: number;
  /** The continue token of the previous page. Default: the first page. */
  readonly continue?: string;
  /** Selects only the object of this name. */
  readonly name?: ObjectName;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** Starts a WATCH: the version, bookmarks and the timeout. */
export interface WatchRequest extends PartSelection {
  /** The version to start after. */
  readonly resourceVersion?: string;
  /** How `resourceVersion` is matched; required with `sendInitialEvents`. */
  readonly resourceVersionMatch?: 'NotOlderThan';
  /**
   * WatchList: the server sends the initial state as events and ends it with an annotated bookmark
   * (KEP-3157).
   */
  readonly sendInitialEvents?: boolean;
  /** Requests bookmarks. Default false. */
  readonly allowWatchBookmarks?: boolean;
  /** The seconds after which the server ends the watch. Default: the server chooses. */
  readonly timeoutSeconds?: number;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** A rule of RBAC, as a Role contains it. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The source from which a reflector reads the objects of one query, whose namespace, selectors and projection are
 * fixed. `@keelson/client` has one for HTTP; a test may yield plain objects instead of bytes. It throws a `StatusError`
 * for an error of the API, also for an ERROR event at the start of a stream. A later ERROR event is a frame.
 */
export interface ListerWatcher {
  /** Yields one page; the last batch carries the metadata of the list. */
  list(request: ListRequest): AsyncIterable<FrameBatch>;
  /**
   * Ends when the server ends the stream normally; throws when the connection breaks. The reflector calls `passTo` of
   * the result if it has the method, and iterates otherwise.
   */
  watch(request: WatchRequest): WatchBatches;
  /**
   * Returns whether the discovery of the server names the resource. The reflector calls it after a 404, which a gateway
   * may also send. Only after `false` it removes all objects. Rejects if discovery fails. Without this method, a 404 of
   * a LIST means that the resource is not served.
   */
  isServed?(signal: AbortSignal): Promise<boolean>;
  /**
   * Returns the rule that the user lacks, after the server denied `verb`; `undefined` if it is
   * unknown. The informer calls it after each 403 and adds the rule to the health of the watch, so
   * the source must limit its requests. An error changes nothing. Default: unknown.
   */
  missingRule?(verb: 'list' | 'watch', signal: AbortSignal): Promise<AccessRule | undefined>;
  /**
   * Resolves when the server responds again after an attempt failed with `error`; returns `undefined` if only a delay
   * can be waited for. The reflector calls it while it waits for the delay after a failure, which then ends early and
   * starts low again. `signal` ends the wait. It must not throw. Default: every delay ends by itself.
   */
  recovered?(error: Error, signal: AbortSignal): Promise<void> | undefined;
  /**
   * Returns true for the cluster of a test or of `keelson dev`, and `undefined` while that is unknown. A cache without
   * the option `freeze` calls it when an object is read, until the result is known. It must not throw. Default: false.
   */
  isDevelopment?(): boolean | undefined;
}

/**
 * Returns a function that returns the lister-watcher of one watch. The first call creates it by user code. If that
 * fails, the next call creates it again; the reflector waits between its calls.
 */
export function openedSource(create: () => ListerWatcher): () => ListerWatcher {
  let source: ListerWatcher | undefined;
  return () => (source ??= checkedSource(create()));
}

function checkedSource(source: ListerWatcher): ListerWatcher {
  examineResult(source, () =>
    checkMethods(source, ['list', 'watch'], 'createInformerCache.listerWatcher'),
  );
  return source;
}
