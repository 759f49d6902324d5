import { quoteText } from '../show-value.ts';
import { parseAuthority, type Refuse } from './url-authority.ts';
import { decodedBytes, wrongEscape } from './url-escapes.ts';

/** The parts of a URL. */
export interface ParsedUrl {
  readonly scheme: string;
  /** The user and password with the escapes of Go; undefined without an `@`. */
  readonly user: string | undefined;
  /** The host and port without escapes; empty for an opaque URL. */
  readonly host: string;
  readonly query: string;
  /** The fragment without escapes. */
  readonly fragment: string;
}

/** Parses a URL as Go's `url.Parse` does; returns its error for an invalid one. */
export function parseUrl(text: string): ParsedUrl | string {
  const [main = text] = text.split('#', 1);
  const fragment = text.slice(main.length + 1);
  const url = orProblem((refuse) => parse(main, false, refuse), main);
  if (typeof url === 'string') return url;
  const wrong = wrongEscape(fragment);
  if (wrong !== undefined) return problemOf(text, `invalid URL escape ${quoteText(wrong)}`);
  return { ...url, fragment: Buffer.from(decodedBytes(fragment)).toString() };
}

/** As `parseUrl`, for Go's `url.ParseRequestURI`: the URL is absolute or a path, and has no fragment. */
export function parseRequestUrl(text: string, refuse: Refuse): ParsedUrl {
  return parse(text, true, refuse);
}

/** Returns the URL, or the problem for which it is refused. */
function orProblem(read: (refuse: Refuse) => ParsedUrl, text: string): ParsedUrl | string {
  try {
    return read((problem) => {
      throw new UrlProblem(problem);
    });
  } catch (error) {
    if (error instanceof UrlProblem) return problemOf(text, error.message);
    throw error;
  }
}

class UrlProblem extends Error {
  override readonly name = 'UrlProblem';
}

function problemOf(text: string, problem: string): string {
  return `parse ${quoteText(text)}: ${problem}`;
}

function parse(text: string, isRequest: boolean, refuse: Refuse): ParsedUrl {
  const { scheme, rest, query } = takeApart(text, refuse);
  const plain = { scheme, user: undefined, host: '', query, fragment: '' };
  if (text === '' && isRequest) refuse('empty url');
  if (text === '*') return plain;
  if (!rest.startsWith('/')) {
    if (scheme !== '') return plain;
    if (isRequest) refuse('invalid URI for request');
    if (/^[^/]*:/.test(rest)) refuse('first path segment in URL cannot contain colon');
  }
  const mayHaveHost = scheme !== '' || (!isRequest && !rest.startsWith('///'));
  const authority = mayHaveHost ? authorityOf(rest) : undefined;
  const path = authority === undefined ? rest : rest.slice(authority.length + 2);
  const { user, host } = parseAuthority(scheme, authority ?? '', refuse);
  const wrong = wrongEscape(path);
  if (wrong !== undefined) refuse(`invalid URL escape ${quoteText(wrong)}`);
  return { ...plain, host, user: user === '' ? undefined : user.slice(0, -1) };
}

interface Parts {
  readonly scheme: string;
  readonly rest: string;
  readonly query: string;
}

/** Splits a URL without a fragment into its scheme, its query, and the rest. */
export function takeApart(text: string, refuse: Refuse): Parts {
  if (hasControl(text)) refuse('net/url: invalid control character in URL');
  if (text.startsWith(':')) refuse('missing protocol scheme');
  const [, scheme = '', after = text] = /^([A-Za-z][A-Za-z\d+.-]*):(.*)$/s.exec(text) ?? [];
  const [, rest = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(after) ?? [];
  return { scheme: scheme.toLowerCase(), rest, query };
}

/** Returns the part after two slashes. */
export function authorityOf(rest: string): string | undefined {
  return /^\/\/([^/]*)/.exec(rest)?.[1];
}

function hasControl(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007F');
}
