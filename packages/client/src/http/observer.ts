/** The Kubernetes verb of a request, as authorization knows it. */
export type RequestVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** One HTTP request, as an observer sees it: one per attempt, retries included. */
export interface ObservedRequest {
  readonly verb: RequestVerb;
  readonly method: string;
  /** Host and port of the API server. */
  readonly host: string;
}

/** How an attempt ended. */
export interface RequestOutcome {
  /** The HTTP status code, or `'<error>'` without a response (client-go's word). */
  readonly code: number | '<error>';
  /** Milliseconds until the headers of the response arrived. */
  readonly duration: number;
}

/** A warning in the headers of a response (KEP-1693): a deprecated version, an unknown field. */
export interface ApiWarning {
  readonly method: string;
  readonly path: string;
  readonly text: string;
}

/** Receives what the client does. Without an observer it costs one optional call; an observer must not throw. */
export interface ClientObserver {
  requestStarted?(request: ObservedRequest): void;
  requestEnded?(request: ObservedRequest, outcome: RequestOutcome): void;
  /** The attempt that ended with `code` is tried again after `delay` milliseconds. */
  requestRetried?(
    request: ObservedRequest,
    retry: { readonly code: number | '<error>'; readonly delay: number; readonly attempt: number },
  ): void;
  /** Credentials were fetched again because the server refused the old ones, or after a fetch that failed. */
  credentialsRefreshed?(refresh: { readonly changed: boolean }): void;
  /** A refresh of credentials failed. Requests use the old credentials until a refresh succeeds. */
  credentialsFailed?(error: unknown): void;
  warning?(warning: ApiWarning): void;
}

/** The names of what an observer may have. */
export const observerMethods: readonly (keyof ClientObserver)[] = [
  'requestStarted',
  'requestEnded',
  'requestRetried',
  'credentialsRefreshed',
  'credentialsFailed',
  'warning',
];

/** The nearest verb for a request that is known by its HTTP method only. */
export const verbOfMethod: Readonly<Record<HttpMethod, RequestVerb>> = {
  GET: 'get',
  HEAD: 'get',
  OPTIONS: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export type HttpMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
