import { isIP, SocketAddress } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import { type FieldPath, invalid } from '@keelson/structural-schema';

const V4_BITS = 32;
const V6_BITS = 128;
const V4_IN_V6 = 0xff_ffn << 32n;

/** A parsed IP address. An IPv4 address in IPv6 notation is an IPv4 address, as in Go. */
export interface NetworkAddress {
  readonly isV4: boolean;
  /** True for `::ffff:10.0.0.1`. */
  readonly isMapped: boolean;
  /** The address as an IPv6 number; IPv4 is mapped. */
  readonly bits: bigint;
  /** The canonical text. */
  readonly text: string;
}

/** An address with the length of its prefix. */
export interface NetworkRange {
  readonly address: NetworkAddress;
  /** The length of the prefix as an IPv6 number. */
  readonly length: number;
  /** The first address of the range as an IPv6 number. */
  readonly first: bigint;
  /** The length in the notation of the text. */
  readonly written: number;
}

/** Parses an address as Go's sloppy parser does: octets may have leading zeros. */
export function parseAddress(text: string): NetworkAddress | undefined {
  if (/^\d+(\.\d+){3}$/.test(text)) return parseV4(text);
  if (isIP(text) !== 6 || text.includes('%')) return undefined;
  const canonical = new SocketAddress({ address: text, family: 'ipv6' }).address;
  const bits = bitsOfV6(canonical);
  const isMapped = bits >> 32n === 0xff_ffn;
  return isMapped
    ? { isV4: true, isMapped, bits, text: canonical.replace(/^::ffff:/, '') }
    : { isV4: false, isMapped, bits, text: canonical };
}

function parseV4(text: string): NetworkAddress | undefined {
  const octets = text.split('.').map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  const bits = octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) | V4_IN_V6;
  return { isV4: true, isMapped: false, bits, text: octets.join('.') };
}

function bitsOfV6(text: string): bigint {
  const hex = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Parses `10.0.0.0/8` as Go's sloppy parser does. */
export function parseRange(text: string): NetworkRange | undefined {
  const [ip = '', prefix = '', ...others] = text.split('/');
  const address = parseAddress(ip);
  if (address === undefined || others.length > 0 || !/^\d+$/.test(prefix)) return undefined;
  const total = address.isV4 && !address.isMapped ? V4_BITS : V6_BITS;
  const written = Number(prefix);
  if (written > total) return undefined;
  const length = written + (V6_BITS - total);
  const rest = BigInt(V6_BITS - length);
  return { address, length, first: (address.bits >> rest) << rest, written };
}

/** True if a range contains an address. */
export function containsAddress(
  { length, first }: NetworkRange,
  { bits }: NetworkAddress,
): boolean {
  return bits >> BigInt(V6_BITS - length) === first >> BigInt(V6_BITS - length);
}

const addressDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const rangeDetail = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** The details of an invalid address in a field that predates canonical addresses. */
export function legacyAddressDetails(text: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) return [addressDetail];
  if (address.isMapped) return ['must not be an IPv4-mapped IPv6 address'];
  return address.isV4 && address.text !== text ? ['must not have leading 0s'] : [];
}

/** The details of an invalid address, which must be canonical. */
export function addressDetails(text: string): string[] {
  const details = legacyAddressDetails(text);
  const canonical = parseAddress(text)?.text ?? text;
  if (details.length > 0 || canonical === text) return details;
  return [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** Validates a range in a field that predates canonical ranges. */
export function validateLegacyRange(text: string, path: FieldPath): StatusCause[] {
  const range = parseRange(text);
  const detail = range === undefined ? rangeDetail : oddRangeDetail(range, text);
  return detail === undefined ? [] : [invalid(path, text, detail)];
}

function oddRangeDetail(range: NetworkRange, text: string): string | undefined {
  const { address, first } = range;
  const isPadded = address.isV4 && !address.isMapped && !text.startsWith(`${address.text}/`);
  if (isPadded || /\/0\d/.test(text)) return 'must not have leading 0s in IP or prefix length';
  if (address.isMapped) return 'must not have an IPv4-mapped IPv6 address';
  return first === address.bits ? undefined : 'must not have bits set beyond the prefix length';
}

/** Validates a range, which must be canonical. */
export function validateRange(text: string, path: FieldPath): StatusCause[] {
  const causes = validateLegacyRange(text, path);
  const range = parseRange(text);
  if (causes.length > 0 || range === undefined) return causes;
  const canonical = `${range.address.text}/${range.written}`;
  if (canonical === text) return [];
  return [invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Rejects addresses that cannot be the address of an endpoint. */
export function validateEndpointAddress(text: string, path: FieldPath): StatusCause[] {
  const address = parseAddress(text);
  if (address === undefined) return [invalid(path, text, 'must be a valid IP address')];
  const { bits, isV4 } = address;
  const high = isV4 ? 0n : bits >> 112n;
  const low = isV4 ? bits & 0xff_ff_ff_ffn : 0n;
  const unspecified = isV4 ? low === 0n : bits === 0n;
  const loopback = isV4 ? low >> 24n === 127n : bits === 1n;
  const linkLocal = isV4 ? low >> 16n === 0xa9_fen : high >> 6n === 0xfe_80n >> 6n;
  const multicast = isV4 ? low >> 8n === 0xe0_00_00n : (high & 0xff_0fn) === 0xff_02n;
  return [
    ...(unspecified ? [invalid(path, text, `may not be unspecified (${text})`)] : []),
    ...(loopback
      ? [invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')]
      : []),
    ...(linkLocal
      ? [invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')]
      : []),
    ...(multicast
      ? [
          invalid(
            path,
            text,
            'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
          ),
        ]
      : []),
  ];
}
