import type { ProtobufRefusal } from './protobuf/protobuf-reads.ts';

/** The Kubernetes verb of a request, as authorization (RBAC) names it. */
export type RequestVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** One HTTP request as an observer receives it. Each retry is a request of its own. */
export interface ObservedRequest {
  /** The verb of the call. A raw request has the verb that matches its method. */
  readonly verb: RequestVerb;
  /** The HTTP method. */
  readonly method: string;
  /** Host and port of the API server. */
  readonly host: string;
  /** The path of the URL, without its query: `/api/v1/namespaces/shop/configmaps/web`. */
  readonly path: string;
}

/** The result of one attempt. */
export interface RequestOutcome {
  /** HTTP status code, or `'<error>'` without a response, as in the metrics of client-go. */
  readonly code: number | '<error>';
  /** Milliseconds until the headers of the response arrived. */
  readonly duration: number;
}

/**
 * A warning in the headers of a response (KEP-1693), for example about a deprecated version or an unknown
 * field.
 */
export interface ApiWarning {
  /** The HTTP method of the request. */
  readonly method: string;
  /** The path of the request. */
  readonly path: string;
  /** The text of the warning. */
  readonly text: string;
}

/**
 * Callbacks for requests, credentials and warnings of a client. All are optional. The first error of each one becomes a
 * process warning (`OBSERVER_FAILED`), and none affects a request.
 */
export interface ClientObserver {
  /** An attempt is about to be sent. */
  requestStarted?(request: ObservedRequest): void;
  /** The headers of the response arrived, or the attempt failed. */
  requestEnded?(request: ObservedRequest, outcome: RequestOutcome): void;
  /** The attempt that ended with `code` is retried after `delay` milliseconds. */
  requestRetried?(
    request: ObservedRequest,
    retry: { readonly code: number | '<error>'; readonly delay: number; readonly attempt: number },
  ): void;
  /**
   * Credentials were fetched again after a 401 or after a failed fetch. `changed` is false if they are the
   * same.
   */
  credentialsRefreshed?(refresh: { readonly changed: boolean }): void;
  /** A refresh of credentials failed. Requests use the old credentials until a refresh succeeds. */
  credentialsFailed?(error: unknown): void;
  /** A response had a warning. */
  warning?(warning: ApiWarning): void;
  /**
   * Keelson could not read an object or a list of a kind as protobuf, or the server responded with 406. The kind is
   * read as JSON, for good or for a time.
   */
  protobufRefused?(refusal: ProtobufRefusal): void;
  /**
   * A verb is about to return this object, or a list with it. It is not called for `request`, for the APIs of
   * client-node and for the objects of `listerWatcher`.
   */
  objectReturned?(object: object): void;
}

/** Names of all methods of an observer, to refuse unknown ones. */
export const observerMethods: readonly (keyof ClientObserver)[] = [
  'requestStarted',
  'requestEnded',
  'requestRetried',
  'credentialsRefreshed',
  'credentialsFailed',
  'warning',
  'protobufRefused',
  'objectReturned',
];

/** The verb that most likely matches an HTTP method, for requests without a known verb. */
export const verbOfMethod: Readonly<Record<HttpMethod, RequestVerb>> = {
  GET: 'get',
  HEAD: 'get',
  OPTIONS: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The methods that `client.request` can send. */
export type HttpMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
