import { isHeaderName, isHeaderValue } from '../../cluster/invalid-member.ts';
import type { SentRequest } from '../body/exchange.ts';

const PATH = /^\/[\x21-\x7e]*$/;

/**
 * Returns the bytes of a GET request as text in Latin-1. Throws if a part of it would end its line. The connection is not
 * used for another request.
 */
export function requestText({ origin, path, headers }: SentRequest): string {
  if (!PATH.test(path)) throw new TypeError('the path of a request is invalid');
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const host = names.includes('host') ? [] : [`host: ${new URL(origin).host}`];
  const lines = [`GET ${path} HTTP/1.1`, ...host, 'connection: close'];
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) {
      if (!isHeaderName(name) || !isHeaderValue(value)) {
        throw new TypeError('a header of a request is invalid');
      }
      lines.push(`${name}: ${value}`);
    }
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
