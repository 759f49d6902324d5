import type { CelType } from '../../types/cel-type.ts';
import { urlType } from '../../types/function-declaration.ts';
import { fail } from '../evaluation-error.ts';
import { LibraryValue } from '../value.ts';
import { quoteText } from '../show-value.ts';

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
    checkRequestUrl(text, refuse);
    const { scheme, rest, query } = takeApart(text.replace(/#.*$/s, ''), refuse);
    this.scheme = scheme;
    this.query = query;
    const authority = rest.startsWith('///') && scheme === '' ? undefined : authorityOf(rest);
    const written = authority === undefined ? '' : hostOf(authority, refuse);
    this.host = decodedHost(written);
    // After a scheme without a slash the rest is opaque and not a path.
    const isPath = rest.startsWith('/') || rest === '*';
    this.path = isPath ? escapedPath(rest.slice(serverLength(authority)), refuse) : '';
    const server = authority === undefined ? '' : `//${serverText(authority, written)}`;
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

/** As Go does: validates the string as a request URL, which has no fragment, before it is parsed as a general URL. */
function checkRequestUrl(text: string, refuse: (problem: string) => never): void {
  if (text === '') refuse('empty url');
  const { scheme, rest } = takeApart(text, refuse);
  if (scheme === '' && !rest.startsWith('/') && text !== '*') refuse('invalid URI for request');
  if (scheme !== '') hostOf(authorityOf(rest) ?? '', refuse);
}

/** Decodes the escapes of a host, such as that of the zone in `[fe80::1%25en0]`. */
function decodedHost(host: string): string {
  return host.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function serverText(authority: string, host: string): string {
  const at = authority.lastIndexOf('@');
  return (at < 0 ? '' : authority.slice(0, at + 1)) + host;
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

type Refuse = (problem: string) => never;

interface Parts {
  readonly scheme: string;
  readonly rest: string;
  readonly query: string;
}

function takeApart(text: string, refuse: Refuse): Parts {
  if (hasControl(text)) refuse('net/url: invalid control character in URL');
  if (text.startsWith(':')) refuse('missing protocol scheme');
  const [, scheme = '', after = text] = /^([A-Za-z][A-Za-z\d+.-]*):(.*)$/s.exec(text) ?? [];
  const [, rest = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(after) ?? [];
  return { scheme: scheme.toLowerCase(), rest, query };
}

/** Returns the part after two slashes. */
function authorityOf(rest: string): string | undefined {
  return /^\/\/([^/]*)/.exec(rest)?.[1];
}

function hostOf(authority: string, refuse: Refuse): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  if (!/^[\w\-.~!$&'()*+,;=:%@]*$/.test(user)) refuse('net/url: invalid userinfo');
  const port = host.startsWith('[') ? bracketed(host, refuse) : (/:.*$/s.exec(host)?.[0] ?? '');
  const last = host.startsWith('[') ? port : port.slice(Math.max(0, port.lastIndexOf(':')));
  if (!/^(:\d*)?$/.test(last)) refuse(`invalid port ${quoteText(last)} after host`);
  const wrong = /[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\uFFFF]/.exec(host)?.[0];
  if (wrong !== undefined) refuse(`invalid character ${quoteText(wrong)} in host name`);
  const escape = /%(?![89A-Fa-f][\dA-Fa-f]|25).{0,2}/s.exec(host)?.[0];
  if (escape !== undefined) refuse(`invalid URL escape ${quoteText(escape)}`);
  return host;
}

/** Returns the part after the closing bracket of an IPv6 address. */
function bracketed(host: string, refuse: Refuse): string {
  const end = host.lastIndexOf(']');
  return end < 0 ? refuse("missing ']' in host") : host.slice(end + 1);
}

function escapedPath(path: string, refuse: Refuse): string {
  const wrong = wrongEscape(path);
  if (wrong !== undefined) refuse(`invalid URL escape ${quoteText(wrong)}`);
  return escapedUnless(/^[\w\-.~!$&'()*+,;=:@/[\]%]*$/, path, /[\w\-.~$&+,;=:@/]/);
}

/** Returns a part of a URL in its original form if it is valid, otherwise decoded and with the escapes of Go. */
function escapedUnless(valid: RegExp, part: string, plain: RegExp): string {
  if (valid.test(part)) return part;
  return Array.from(decodedBytes(part), (byte) => {
    const character = String.fromCodePoint(byte);
    if (byte < 0x80 && plain.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function decodedBytes(part: string): Uint8Array {
  const parts = part.split(/((?:%[\dA-Fa-f]{2})+)/);
  return Buffer.concat(
    parts.map((each, index) =>
      index % 2 === 1 ? Buffer.from(each.replaceAll('%', ''), 'hex') : Buffer.from(each),
    ),
  );
}

function wrongEscape(text: string): string | undefined {
  return /%(?![\dA-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
}

function unescapeQuery(text: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (codes) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  return bytes;
}

function hasControl(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007F');
}
