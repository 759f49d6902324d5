import type { IncomingMessage } from 'node:http';
import { badRequest } from '../status-errors/status-errors.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';

/** The most URLs of which the result is kept. */
const MAX_URLS = 1000;

/** Parses the URLs of requests. Clients send many requests to the same URL, so the results are kept. */
export class ParsedUrls {
  /** The results for URLs without a query, by method and URL. */
  readonly #known = new Map<string, RequestInfo>();

  /** Throws 400 for a URL with an invalid escape. */
  of({ method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): {
    info: RequestInfo;
    query: URLSearchParams;
  } {
    const mark = url.indexOf('?');
    if (mark < 0) return { info: this.#withoutQuery(method, url), query: new URLSearchParams() };
    const query = new URLSearchParams(url.slice(mark + 1));
    return { info: infoOf(method, url.slice(0, mark), query), query };
  }

  #withoutQuery(method: string, path: string): RequestInfo {
    const key = `${method} ${path}`;
    let info = this.#known.get(key);
    if (info === undefined) {
      info = infoOf(method, path, new URLSearchParams());
      if (this.#known.size >= MAX_URLS) this.#known.clear();
      this.#known.set(key, info);
    }
    return info;
  }
}

function infoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  const info = parseRequestInfo(method, path, query);
  if (info === undefined) throw badRequest('invalid URL escape');
  return info;
}
