import type { CelType } from '../../types/cel-type.ts';
import { urlType } from '../../types/function-declaration.ts';
import { fail } from '../evaluation-error.ts';
import { LibraryValue } from '../value.ts';
import { quoteText } from '../show-value.ts';
import { escapedHost, parseAuthority, type Refuse } from './url-authority.ts';
import { decodedBytes, escapedBytes, wrongEscape } from './url-escapes.ts';
import { authorityOf, parseRequestUrl, takeApart } from './parse-url.ts';

/** A URL, parsed as Go does: the parts keep their original form. */
export class WebAddress extends LibraryValue {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly #text: string;

  /** Throws with Go's message for a URL that is neither absolute nor starts with a slash. */
  constructor(text: string) {
    super();
    const refuse = (problem: string): never =>
      fail(`URL parse error during conversion from string: parse ${quoteText(text)}: ${problem}`);
    // As kube-apiserver does: validates the string as a request URL, then parses it as a general URL.
    parseRequestUrl(text, refuse);
    const { scheme, rest, query } = takeApart(text.replace(/#.*$/s, ''), refuse);
    this.scheme = scheme;
    this.query = query;
    const authority = rest.startsWith('///') && scheme === '' ? undefined : authorityOf(rest);
    const { user, host } = parseAuthority(scheme, authority ?? '', refuse);
    this.host = host;
    // After a scheme without a slash the rest is opaque and not a path.
    const isPath = rest.startsWith('/') || rest === '*';
    this.path = isPath ? escapedPath(rest.slice(serverLength(authority)), refuse) : '';
    const server = authority === undefined ? '' : `//${user}${escapedHost(host)}`;
    const main = isPath ? server + this.path : rest;
    this.#text =
      (scheme && `${scheme}:`) +
      (main === '//' ? '' : main) +
      (/^[^#]*\?/.test(text) ? `?${query}` : '') +
      fragmentOf(text);
  }

  readonly goType = 'cel.URL';

  get native(): string {
    return `(*url.URL)${String(this)}`;
  }

  get type(): CelType {
    return urlType;
  }

  get hostname(): string {
    const [, inner] = /^\[(.*)\]/.exec(this.host) ?? [];
    return inner ?? this.host.replace(/:\d*$/, '');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }

  /** The values of the query by their names. */
  get parameters(): ReadonlyMap<string, readonly string[]> {
    const parameters = new Map<string, string[]>();
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';')) continue;
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      if (wrongEscape(name) !== undefined || wrongEscape(value) !== undefined) continue;
      const key = unescapeQuery(name);
      parameters.set(key, [...(parameters.get(key) ?? []), unescapeQuery(value)]);
    }
    return parameters;
  }

  /** The URL as Go writes it, with a lower-case scheme and all required escapes. Equal URLs have the same text. */
  override toString(): string {
    return this.#text;
  }
}

function serverLength(authority: string | undefined): number {
  return authority === undefined ? 0 : authority.length + 2;
}

function fragmentOf(text: string): string {
  const [, fragment = ''] = /#(.+)$/s.exec(text) ?? [];
  return (
    fragment &&
    `#${escapedUnless(/^[\w\-.~!$&'()*+,;=:@/?%[\]]*$/, fragment, /[\w\-.~!$&()*+,;=:@/?]/)}`
  );
}

function escapedPath(path: string, refuse: Refuse): string {
  const wrong = wrongEscape(path);
  if (wrong !== undefined) refuse(`invalid URL escape ${quoteText(wrong)}`);
  return escapedUnless(/^[\w\-.~!$&'()*+,;=:@/[\]%]*$/, path, /[\w\-.~$&+,;=:@/]/);
}

/** Returns a part of a URL in its original form if it is valid, otherwise decoded and with the escapes of Go. */
function escapedUnless(valid: RegExp, part: string, plain: RegExp): string {
  if (valid.test(part)) return part;
  return escapedBytes(decodedBytes(part), plain);
}

function unescapeQuery(text: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  return bytes;
}
