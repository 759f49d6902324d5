import { isIPv6 } from 'node:net';
import type { CelType } from '../types/cel-type.ts';
import { ipType } from '../types/function-declaration.ts';
import { fail, succeeds } from './evaluation-error.ts';
import { LibraryValue } from './library-value.ts';

type Family = 4 | 6;

const mapped = 0xffff00000000n;

/** An address of the Internet protocol. */
export class IpAddress extends LibraryValue {
  readonly family: Family;
  readonly bits: bigint;

  constructor(family: Family, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  static parse(text: string): IpAddress {
    const address = parseAddress(text);
    if (typeof address === 'string') {
      return fail(
        `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${address}`,
      );
    }
    if (text.includes('%')) {
      return fail(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
    }
    return unmapped(address, text);
  }

  static isAddress(text: string): boolean {
    return succeeds(() => IpAddress.parse(text));
  }

  get type(): CelType {
    return ipType;
  }

  get width(): number {
    return this.family === 4 ? 32 : 128;
  }

  /** Whether the first bits are those of another address. */
  startsLike(prefix: string, length: number): boolean {
    const other = parseAddress(prefix);
    return (
      typeof other !== 'string' && other.family === this.family && this.sharesBits(other, length)
    );
  }

  sharesBits(other: IpAddress, length: number): boolean {
    const rest = BigInt(this.width - length);
    return this.bits >> rest === other.bits >> rest;
  }

  get isUnspecified(): boolean {
    return this.bits === 0n;
  }

  get isLoopback(): boolean {
    return this.startsLike('127.0.0.0', 8) || this.startsLike('::1', 128);
  }

  get isMulticast(): boolean {
    return this.startsLike('224.0.0.0', 4) || this.startsLike('ff00::', 8);
  }

  get isLinkLocalMulticast(): boolean {
    if (this.family === 4) return this.startsLike('224.0.0.0', 24);
    return ((this.bits >> 112n) & 0xff0fn) === 0xff02n;
  }

  get isLinkLocalUnicast(): boolean {
    return this.startsLike('169.254.0.0', 16) || this.startsLike('fe80::', 10);
  }

  get isGlobalUnicast(): boolean {
    const broadcast = this.family === 4 && this.bits === 0xffffffffn;
    const special = this.isUnspecified || this.isLoopback || this.isMulticast;
    return !broadcast && !special && !this.isLinkLocalUnicast;
  }

  /** In its one canonical form. */
  override toString(): string {
    const groups = this.family === 4 ? 8n : 16n;
    const count = this.width / Number(groups);
    const parts = Array.from({ length: count }, (_, index) => {
      const shift = BigInt(this.width) - groups * BigInt(index + 1);
      return (this.bits >> shift) & ((1n << groups) - 1n);
    });
    if (this.family === 4) return parts.join('.');
    const written = parts.map((part) => part.toString(16)).join(':');
    return new URL(`http://[${written}]`).hostname.slice(1, -1);
  }
}

/** A network: an address and how many of its bits count. */
export function parsePrefix(text: string): { address: IpAddress; length: number } {
  const refuse = (words: string): never =>
    fail(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${words}`,
    );
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (typeof address === 'string') return refuse(address);
  if (text.includes('%')) return refuse('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) return refuse(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > address.width) return refuse('prefix length out of range');
  if (isMapped(address)) {
    return fail(
      `network address parse error during conversion from string: IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`,
    );
  }
  return { address, length: Number(bits) };
}

function isMapped({ family, bits }: IpAddress): boolean {
  return family === 6 && bits >> 32n === mapped >> 32n;
}

function unmapped(address: IpAddress, text: string): IpAddress {
  if (!isMapped(address)) return address;
  return fail(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
}

/** The address, or what Go says of the text. */
function parseAddress(text: string): IpAddress | string {
  const problem = (words: string): string => `ParseAddr(${JSON.stringify(text)}): ${words}`;
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === '.') return parseFour(text, problem);
  if (separator === '%') return problem('missing IPv6 address');
  if (separator === undefined || !isIPv6(text)) return problem('unable to parse IP');
  const [address = ''] = text.split('%');
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  return new IpAddress(6, bitsOfSix(written));
}

function parseFour(text: string, problem: (words: string) => string): IpAddress | string {
  const wrong = /[^\d.]/.exec(text);
  if (wrong !== null) {
    return problem(`unexpected character (at ${JSON.stringify(text.slice(wrong.index))})`);
  }
  const fields = text.split('.');
  const empty = fields.indexOf('');
  if (empty >= 0) {
    const place = fields.slice(0, empty).join('.').length;
    const rest = JSON.stringify(text.slice(place));
    return problem(`IPv4 field must have at least one digit (at ${rest})`);
  }
  if (fields.some((field) => Number(field) > 255)) return problem('IPv4 field has value >255');
  if (fields.some((field) => /^0\d/.test(field))) {
    return problem('IPv4 field has octet with leading zero');
  }
  if (fields.length !== 4)
    return problem(`IPv4 address too ${fields.length < 4 ? 'short' : 'long'}`);
  return new IpAddress(
    4,
    fields.reduce((bits, field) => (bits << 8n) | BigInt(field), 0n),
  );
}

/** Of the canonical form of the platform: groups in hex, one `::` at most. */
function bitsOfSix(written: string): bigint {
  const [front = [], back = []] = written.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back].reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

function groupsOf(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}
