import { isIPv4 } from 'node:net';

/** The addresses of a network that may be given to Services: all but its own and the one for broadcasts. */
export interface AddressRange {
  /** As it was given: `10.96.0.0/16`. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

const SMALLEST_PREFIX = 12;
const LARGEST_PREFIX = 29;

/** Reads a range of IPv4 addresses; `undefined` for a text that is none. */
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
