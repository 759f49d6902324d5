import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '../auth/user.ts';
import { unsupportedMediaType } from '../status-errors/status-errors.ts';
import { readBody } from './request-body.ts';
import type { RequestInfo, ResourceRequestInfo } from './request-info.ts';

const noContentType = 'the body of the request has no Content-Type';

/** A request for a resource or for objects of it, and not for another path. */
export type ResourceRequest = ApiRequest<ResourceRequestInfo>;

/** One request with its user and its response. */
export class ApiRequest<I extends RequestInfo = RequestInfo> {
  readonly info: I;
  readonly query: URLSearchParams;
  readonly user: User;
  /** The time of its arrival in milliseconds since the epoch. */
  readonly now: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Texts for `Warning` headers, also of error responses. Handlers append until the response is sent. */
  readonly warnings: string[];
  readonly #acceptsUntyped: boolean;

  constructor(
    parts: Pick<
      ApiRequest<I>,
      'info' | 'query' | 'user' | 'now' | 'incoming' | 'response' | 'warnings'
    > & { readonly acceptsUntyped: boolean },
  ) {
    this.#acceptsUntyped = parts.acceptsUntyped;
    this.warnings = parts.warnings;
    this.info = parts.info;
    this.query = parts.query;
    this.user = parts.user;
    this.now = parts.now;
    this.incoming = parts.incoming;
    this.response = parts.response;
  }

  get headers(): IncomingHttpHeaders {
    return this.incoming.headers;
  }

  get method(): string {
    return this.incoming.method ?? 'GET';
  }

  /**
   * Reads the body. kube-apiserver decodes one without a Content-Type as JSON. Here it gets 415, because a web page of another
   * site may POST one without the permission of the server (CORS). No page may PUT, and client-go's client of scales does. With
   * `acceptsUntyped` a request with the header Authorization may lack it too.
   */
  async body(): Promise<Buffer> {
    const body = await readBody(this.incoming);
    const { 'content-type': type = '', authorization } = this.headers;
    const isKnown = this.#acceptsUntyped && authorization !== undefined;
    const isForeign = this.method !== 'PUT' && !isKnown;
    if (isForeign && body.length > 0 && type.trim() === '') {
      throw unsupportedMediaType(noContentType);
    }
    return body;
  }
}
