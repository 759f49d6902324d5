import type { CelType } from '../../types/cel-type.ts';
import { ipType } from '../../types/function-declaration.ts';
import { fail, succeeds } from '../evaluation-error.ts';
import { LibraryValue } from '../value.ts';
import { parseAddress } from './parse-address.ts';
import { quoteText } from '../show-value.ts';

type Family = 4 | 6;

const mapped = 0xffff00000000n;

/** An IPv4 or IPv6 address. */
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
        `IP Address ${quoteText(text)} parse error during conversion from string: ${address}`,
      );
    }
    if (text.includes('%')) {
      return fail(`IP address ${quoteText(text)} with zone value is not allowed`);
    }
    return unmapped(new IpAddress(address.family, address.bits), text);
  }

  static isAddress(text: string): boolean {
    return succeeds(() => IpAddress.parse(text));
  }

  readonly goType = 'cel.IP';

  get native(): string {
    return `(netip.Addr)${String(this)}`;
  }

  override get size(): number {
    return this.width / 8;
  }

  get type(): CelType {
    return ipType;
  }

  get width(): number {
    return this.family === 4 ? 32 : 128;
  }

  /** True if the first bits are equal to those of another address. */
  startsLike(prefix: string, length: number): boolean {
    const other = parseAddress(prefix);
    if (typeof other === 'string' || other.family !== this.family) return false;
    return this.sharesBits(new IpAddress(other.family, other.bits), length);
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

  /** The canonical form of the address. */
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

/** Parses a network: an address and the length of its prefix. */
export function parsePrefix(text: string): { address: IpAddress; length: number } {
  const refuse = (words: string): never =>
    fail(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quoteText(text)}): ${words}`,
    );
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refuse("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if (typeof parsed === 'string') return refuse(parsed);
  const address = new IpAddress(parsed.family, parsed.bits);
  if (text.includes('%')) return refuse('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) return refuse(`bad bits after slash: ${quoteText(bits)}`);
  if (Number(bits) > address.width) return refuse('prefix length out of range');
  if (isMapped(address)) {
    return fail(
      `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`,
    );
  }
  return { address, length: Number(bits) };
}

function isMapped({ family, bits }: IpAddress): boolean {
  return family === 6 && bits >> 32n === mapped >> 32n;
}

function unmapped(address: IpAddress, text: string): IpAddress {
  if (!isMapped(address)) return address;
  return fail(`IPv4-mapped IPv6 address ${quoteText(text)} is not allowed`);
}
