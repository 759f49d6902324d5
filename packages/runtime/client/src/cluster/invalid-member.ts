import { isRecord } from '../values/record.ts';

/** The member of an object that is invalid, and what it should be. */
export interface InvalidMember {
  readonly option: string;
  readonly expected: string;
}

/** Returns the first member with an unknown name. */
export function unknownMember(
  given: object,
  known: readonly string[],
  path: string,
): InvalidMember | undefined {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : { option: path + unknown, expected: `one of ${known.join(', ')}` };
}

const isBytes = (value: unknown): boolean => value instanceof Uint8Array;
const isText = (value: unknown): boolean => typeof value === 'string';
const isPem = (value: unknown): boolean => isText(value) || isBytes(value);
const pem = {
  expected: 'PEM as a string or as bytes',
  accepts: (value: unknown) =>
    isPem(value) || (Array.isArray(value) && value.length > 0 && value.every(isPem)),
};
const text = { expected: 'a string', accepts: isText };

const tlsMembers = {
  ca: pem,
  cert: pem,
  key: pem,
  pfx: { expected: 'bytes', accepts: isBytes },
  passphrase: text,
  servername: text,
  rejectUnauthorized: {
    expected: 'true or false',
    accepts: (value: unknown) => typeof value === 'boolean',
  },
};

/**
 * Returns the first invalid member of TLS settings. Unknown names are refused, because a misspelt `ca` would
 * trust the authorities of the system.
 */
export function invalidTls(tls: unknown): InvalidMember | undefined {
  if (tls === undefined) return undefined;
  if (!isRecord(tls)) return { option: 'tls', expected: 'an object' };
  const unknown = unknownMember(tls, Object.keys(tlsMembers), 'tls.');
  if (unknown !== undefined) return unknown;
  for (const [name, { expected, accepts }] of Object.entries(tlsMembers)) {
    const value = tls[name];
    if (value !== undefined && !accepts(value)) return { option: `tls.${name}`, expected };
  }
  return undefined;
}

/** Header names that HTTP reserves for the connection and the form of the body. undici refuses them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** True for the name of a header that a request may set. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !RESERVED_HEADERS.has(name.toLowerCase());
}

/** True for a value that a header can contain. It may be empty. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Returns the first invalid header. An empty or missing `authorization` would send anonymous requests. */
export function invalidHeader(headers: unknown): InvalidMember | undefined {
  if (headers === undefined) return undefined;
  if (!isRecord(headers)) return { option: 'headers', expected: 'an object' };
  for (const [name, value] of Object.entries(headers)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isEmpty =
      values.length === 0 || (/^authorization$/i.test(name) && !values.every(Boolean));
    if (!isHeaderName(name)) return { option: 'headers', expected: 'names that HTTP allows' };
    if (isEmpty || !values.every(isHeaderValue)) {
      return { option: `headers.${name}`, expected: 'a string of one line that a header can hold' };
    }
  }
  return undefined;
}
