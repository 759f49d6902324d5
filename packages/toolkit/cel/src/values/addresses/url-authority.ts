import { quoteText } from '../show-value.ts';
import { parseAddress } from './parse-address.ts';
import { decodedBytes, escapedBytes, wrongEscape } from './url-escapes.ts';

/** Ends the parsing of a URL with a reason. */
export type Refuse = (problem: string) => never;

/** The part of a URL between `//` and the path. */
export interface Authority {
  /** The user and password with the escapes of Go, and an `@`. */
  readonly user: string;
  /** The host and port without escapes. */
  readonly host: string;
}

const hostCharacter = /[\w\-.~!$&'()*+,;=:[\]<>"]/;
const userCharacter = /[\w\-.~$&+,;=]/;

export function parseAuthority(scheme: string, authority: string, refuse: Refuse): Authority {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1), refuse);
  if (at < 0) return { user: '', host };
  const user = authority.slice(0, at);
  if (!/^[\w\-.~!$&'()*+,;=:%@]*$/.test(user)) refuse('net/url: invalid userinfo');
  const [, name = '', password] = /^([^:]*)(?::(.*))?$/s.exec(user) ?? [];
  const parts = password === undefined ? [name] : [name, password];
  return { user: `${parts.map((part) => escapedUser(part, refuse)).join(':')}@`, host };
}

/** Returns a host with the escapes that Go writes. */
export function escapedHost(host: string): string {
  return escapedBytes(Buffer.from(host), hostCharacter);
}

function escapedUser(part: string, refuse: Refuse): string {
  const wrong = wrongEscape(part);
  if (wrong !== undefined) refuse(`invalid URL escape ${quoteText(wrong)}`);
  return escapedBytes(decodedBytes(part), userCharacter);
}

function parseHost(scheme: string, host: string, refuse: Refuse): string {
  const open = host.lastIndexOf('[');
  if (open > 0) refuse('invalid IP-literal');
  if (open === 0) return parseBracketed(host, refuse);
  // A list of hosts with ports is accepted, but not in the URLs of the web.
  const isWeb = scheme === 'http' || scheme === 'https';
  const colon = isWeb ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) requirePort(host.slice(colon), refuse);
  return unescaped(host, 'host', refuse);
}

/** Parses an IPv6 address in brackets, with a port. */
function parseBracketed(host: string, refuse: Refuse): string {
  const end = host.lastIndexOf(']');
  if (end < 0) refuse("missing ']' in host");
  const port = host.slice(end + 1);
  requirePort(port, refuse);
  const inner = host.slice(1, end);
  const zone = inner.indexOf('%25');
  const name =
    zone < 0
      ? unescaped(inner, 'host', refuse)
      : unescaped(inner.slice(0, zone), 'host', refuse) +
        unescaped(inner.slice(zone), 'zone', refuse);
  const address = parseAddress(name);
  if (typeof address === 'string') return refuse(`invalid host: ${address}`);
  return address.family === 4 ? refuse('invalid IP-literal') : `[${name}]${port}`;
}

function requirePort(port: string, refuse: Refuse): void {
  if (!/^(:\d*)?$/.test(port)) refuse(`invalid port ${quoteText(port)} after host`);
}

/** A host has escapes of non-ASCII bytes only, the zone of an address also those of characters of a host. */
function unescaped(text: string, part: 'host' | 'zone', refuse: Refuse): string {
  for (const [each] of text.matchAll(/%[\dA-Fa-f]{2}|%.{0,2}|[\0-\u007F]/gs)) {
    if (each === '%25') continue;
    if (!each.startsWith('%')) {
      if (!hostCharacter.test(each)) refuse(`invalid character ${quoteText(each)} in host name`);
      continue;
    }
    const byte = wrongEscape(each) === undefined ? Number.parseInt(each.slice(1), 16) : -1;
    const isHostByte = byte < 0x80 && hostCharacter.test(String.fromCodePoint(Math.max(0, byte)));
    const fits = part === 'host' ? byte >= 0x80 : byte === 0x20 || isHostByte;
    if (byte < 0 || !fits) refuse(`invalid URL escape ${quoteText(each)}`);
  }
  return Buffer.from(decodedBytes(text)).toString('utf8');
}
