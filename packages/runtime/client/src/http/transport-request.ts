import type { HttpMethod, RequestVerb } from './observer.ts';

/**
 * Permits the writes of a client for as long as a condition holds, for example while the process holds a Lease.
 * Each request that is not GET, HEAD or OPTIONS counts as a write.
 */
export interface WriteGuard {
  /** Throws if writes are not permitted. Called directly before the bytes of a write are sent. */
  check(): void;
  /**
   * Aborts when the permission ends. Writes in flight then reject with its reason, although the server may have
   * stored them.
   */
  readonly signal: AbortSignal;
}

/** One request to the API server, before credentials are added. */
export interface TransportRequest {
  readonly verb: RequestVerb;
  readonly method: HttpMethod;
  /** Path from the root of the API, for example `/api/v1/pods`. */
  readonly path: string;
  /** Query with its leading `?`, or empty. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** If true, the transport never retries the request, because the caller has its own retry loop. */
  readonly noRetry?: boolean | undefined;
  /**
   * The pool that sends the request: `streams` for a body that the caller reads at its own pace, `watches` for watches,
   * `beforeWatch` for a GET that a watch usually follows: over HTTP/2 it opens the connection of the watch. Default `requests`.
   */
  readonly pool?: 'requests' | 'streams' | 'watches' | 'beforeWatch' | undefined;
  /**
   * True if the reader of the body asks for a chunk only when it has processed the last one. The clock of a test then
   * counts a chunk until that, else only while the reader waits for it.
   */
  readonly acknowledges?: boolean | undefined;
  /** Permits the request until it is sent. */
  readonly guard?: WriteGuard | undefined;
}
