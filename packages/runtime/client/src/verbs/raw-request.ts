import type { Caller } from './calls/caller.ts';
import { withDeadline } from './calls/deadline.ts';
import { jsonOf } from './calls/json-body.ts';
import { isHeaderName } from '../cluster/invalid-member.ts';
import { checkRawPath } from './check-path.ts';
import { verbOfMethod } from '../http/observer.ts';
import { checkValues, headerText, oneOf, refuseUnless, text } from '../values/option-check.ts';
import { isRecord } from '../values/record.ts';
import type { RequestOptions } from './calls/request-options.ts';
import { queryOf } from './calls/resource-path.ts';
import type { TransportRequest } from '../http/transport-request.ts';

/** A request that no verb of the client covers, such as one of `/healthz`, `/openapi/v3` or a proxy subresource. */
export interface RawRequest extends RequestOptions {
  /** HTTP method. Default `GET`. */
  readonly method?: TransportRequest['method'] | undefined;
  /** The encoded path, with a leading slash. */
  readonly path: string;
  /** The query parameters; `undefined` leaves a parameter out. Default: none. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Additional headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: object | string | undefined;
}

/** A response with a success code. */
export interface RawResponse {
  /** The HTTP status code, 200 to 299. */
  readonly statusCode: number;
  /** The headers with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The `content-type` header; empty if it is missing. */
  readonly contentType: string;
  /** The whole body as text. */
  readonly body: string;
}

const members = ['method', 'path', 'query', 'headers', 'body', 'signal', 'timeout'];

/** Sends a raw request. A response without a success code throws the same errors as the typed verbs. */
export async function sendRaw(caller: Caller, raw: RawRequest): Promise<RawResponse> {
  checkValues(raw, members, 'request');
  checkForm(raw);
  checkRawPath(raw.path);
  const { method = 'GET', query = {}, body, headers } = raw;
  // The path is split from the query, because errors must not contain a query, which may contain a secret.
  const [path = '', ...given] = raw.path.split(/(?=\?)/);
  const { clock } = caller.transport;
  const json = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return withDeadline(raw, { clock, facts: { method, path } }, async (signal) => {
    const request: TransportRequest = {
      verb: verbOfMethod[method],
      method,
      path,
      signal,
      query: joined(given.join(''), queryOf(query)),
      headers: { accept: '*/*', ...json, ...headers },
      body: typeof body === 'object' ? jsonOf(body, { method, path }) : body,
    };
    return caller.send(request, async (response) => ({
      statusCode: response.statusCode,
      headers: response.headers,
      contentType: response.contentType,
      body: await response.text(),
    }));
  });
}

const checkMethod = oneOf(...Object.keys(verbOfMethod));

function checkForm({
  method = 'GET',
  path,
  query = {},
  headers = {},
  body = '',
}: RawRequest): void {
  checkMethod(method, 'request.method');
  text(path, 'request.path');
  refuseUnless(isRecord(query), 'request.query', 'must be an object');
  for (const [name, value] of Object.entries(query)) {
    const isPlain = ['string', 'boolean', 'undefined'].includes(typeof value);
    const reason = 'must be a string, a finite number, true or false';
    refuseUnless(isPlain || Number.isFinite(value), `request.query.${name}`, reason);
  }
  refuseUnless(isRecord(headers), 'request.headers', 'must be an object');
  for (const [name, value] of Object.entries(headers)) {
    refuseUnless(isHeaderName(name), 'request.headers', 'must have names that HTTP allows');
    headerText(value, `request.headers.${name}`);
  }
  const isBody = typeof body === 'string' || (typeof body === 'object' && body !== null);
  refuseUnless(isBody, 'request.body', 'must be an object or a string');
}

function joined(first: string, second: string): string {
  return first === '' ? second : first + second.replace('?', '&');
}
