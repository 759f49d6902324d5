import type { HttpMethod, RequestVerb } from './observer.ts';

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
  readonly once?: boolean | undefined;
  /** If true, the caller reads the body at its own pace, so the request uses the connection pool of streams. */
  readonly streamed?: boolean | undefined;
}
