import type { HttpMethod, RequestVerb } from './observer.ts';

/** A request on its way to the API server. */
export interface TransportRequest {
  readonly verb: RequestVerb;
  readonly method: HttpMethod;
  /** From the root of the API: `/api/v1/pods`. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Never sent again, because the caller has a retry loop of its own. */
  readonly once?: boolean | undefined;
  /** The caller reads the body at its own pace, so the request must not hold a socket that others wait for. */
  readonly streamed?: boolean | undefined;
}
