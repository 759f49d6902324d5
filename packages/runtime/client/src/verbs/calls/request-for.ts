import type { HttpMethod, RequestVerb } from '../../http/observer.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import { jsonOf } from './json-body.ts';
import { patchMediaTypes } from './patch.ts';

/** A verb of the client. Server-side apply is a patch with a media type of its own. */
type Verb = RequestVerb | 'apply';

/** The parts of a request in addition to its verb. */
export interface RequestParts extends Pick<
  TransportRequest,
  'pool' | 'noRetry' | 'acknowledges' | 'signal'
> {
  /** The encoded path from the root of the API. */
  readonly path: string;
  /** The query with its leading `?`. Default: none. */
  readonly query?: string;
  /** An object is sent as JSON, a string unchanged. Default: none. */
  readonly body?: object | string | undefined;
  /** The media type of the body. Default: `application/json`, or that of an apply. */
  readonly contentType?: string;
  /** The media types of the response. Default: that of the transport, `application/json`. */
  readonly accept?: string;
  /** If true, the response may be compressed. Default false. */
  readonly compression?: boolean;
}

const methods: Readonly<Record<Verb, HttpMethod>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/**
 * Creates the request of a verb, with the HTTP method and the headers that belong to it. Throws `UNSUPPORTED_BODY` for
 * a body that JSON cannot represent.
 */
export function requestFor(verb: Verb, parts: RequestParts): TransportRequest {
  const {
    path,
    query = '',
    body,
    accept,
    compression,
    pool,
    noRetry,
    acknowledges,
    signal,
  } = parts;
  const method = methods[verb];
  const ofVerb = verb === 'apply' ? patchMediaTypes.apply : 'application/json';
  const { contentType = ofVerb } = parts;
  return {
    verb: verb === 'apply' ? 'patch' : verb,
    method,
    path,
    query,
    headers: {
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(accept === undefined ? {} : { accept }),
      ...(compression === true ? { 'accept-encoding': 'gzip' } : {}),
    },
    body: typeof body === 'object' ? jsonOf(body, { method, path }) : body,
    pool,
    noRetry,
    acknowledges,
    signal,
  };
}
