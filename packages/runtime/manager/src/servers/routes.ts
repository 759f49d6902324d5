import { abortable, examineResult, invalidOption } from '@keelson/apimachinery';
import type { Logger } from '../logging/logger.ts';
import { UserCode } from '../user-code/user-code.ts';
import type { PlainResponse } from './http-server.ts';

/** A request of a route. The signal aborts after 30 seconds. */
export interface RouteRequest {
  /** Its path and query are those of the request; its host is not. */
  readonly url: URL;
  readonly signal: AbortSignal;
}

/** The response of a route. */
export interface RouteResponse {
  /** From 200 to 599. Default 200. */
  readonly status?: number;
  /** The header `content-type`. Default `text/plain; charset=utf-8`. */
  readonly type?: string;
  readonly body: string | Buffer;
}

/**
 * Responds to GET and HEAD requests of a path. If it throws, returns an invalid response or takes longer than 30
 * seconds, the client receives 500, and the log the reason.
 */
export type RouteHandler = (request: RouteRequest) => RouteResponse | Promise<RouteResponse>;

/** Milliseconds after which a running handler counts as failed. */
const HANDLER_TIMEOUT_MS = 30_000;
const RESERVED = /^\/(?:metrics|healthz|livez|readyz)(?:\/|$)/;

/** The routes that user code added to a server. */
export class Routes {
  readonly #server: string;
  readonly #log: Logger;
  readonly #handlers = new Map<string, (request: RouteRequest) => unknown>();

  constructor(server: string, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** Adds a route and returns a function that removes it. Throws `INVALID_OPTION`. */
  add(path: string, handler: RouteHandler): () => void {
    if (!isNormalPath(path)) throw invalidOption('addRoute.path', 'must be a path such as /state');
    if (RESERVED.test(path))
      throw invalidOption('addRoute.path', 'belongs to the server', { path });
    if (this.#handlers.has(path)) throw invalidOption('addRoute.path', 'is in use', { path });
    if (typeof handler !== 'function')
      throw invalidOption('addRoute.handler', 'must be a function');
    const user = new UserCode();
    const bound = (request: RouteRequest): unknown => user.call(handler, request);
    this.#handlers.set(path, bound);
    return () => {
      if (this.#handlers.get(path) === bound) this.#handlers.delete(path);
    };
  }

  /** The response of the route of this path; `undefined` without one. */
  respond(url: URL): Promise<PlainResponse> | undefined {
    const handler = this.#handlers.get(url.pathname);
    return handler === undefined ? undefined : this.#run(handler, url);
  }

  async #run(handler: (request: RouteRequest) => unknown, url: URL): Promise<PlainResponse> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new DOMException('the handler took too long', 'TimeoutError'));
    }, HANDLER_TIMEOUT_MS);
    try {
      const { signal } = late;
      const made = await abortable((async () => handler({ url, signal }))(), [signal]);
      return examineResult(made, responseOf);
    } catch (error) {
      this.#log.error({ server: this.#server, path: url.pathname, err: error }, 'route failed');
      return { status: 500, body: 'internal error\n' };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Reads each member once, because a getter of the user may throw or change. */
function responseOf(made: unknown): PlainResponse {
  const {
    status = 200,
    type,
    body,
  } = (made ?? {}) as Partial<Record<keyof RouteResponse, unknown>>;
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600;
  const isType = type === undefined || (typeof type === 'string' && /^[\x20-\x7e]+$/.test(type));
  if (!isStatus || !isType || !(typeof body === 'string' || Buffer.isBuffer(body))) {
    throw new TypeError('the response of the route is invalid');
  }
  return { status: Number(status), body, ...(type !== undefined && { type }) };
}

function isNormalPath(path: unknown): path is string {
  if (typeof path !== 'string' || !/^\/[^/]/.test(path)) return false;
  return URL.canParse(path, 'http://server') && new URL(path, 'http://server').pathname === path;
}
