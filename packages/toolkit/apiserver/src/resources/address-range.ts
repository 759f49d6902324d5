import { isIPv4 } from 'node:net';

/** The addresses of a network that Services may have, without the network and broadcast addresses. */
export interface AddressRange {
  /** The CIDR of the option, such as `10.96.0.0/16`. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

const SMALLEST_PREFIX = 12;
const LARGEST_PREFIX = 29;

/** Parses an IPv4 network in CIDR notation; returns `undefined` if it is invalid. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address = '', bits = ''] = /^([\d.]+)\/(\d+)$/.exec(text) ?? [];
  const prefix = Number(bits);
  if (!isIPv4(address) || prefix < SMALLEST_PREFIX || prefix > LARGEST_PREFIX) return undefined;
  const size = 2 ** (32 - prefix);
  const network = Math.floor(readAddress(address) / size) * size;
  return { text, first: network + 1, last: network + size - 2 };
}

export function isInRange(address: string, { first, last }: AddressRange): boolean {
  if (!isIPv4(address)) return false;
  const value = readAddress(address);
  return value >= first && value <= last;
}

export function showAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function readAddress(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
