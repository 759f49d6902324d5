import { parseAddress } from '../values/addresses/parse-address.ts';

/** Returns the family of an address. As in Kubernetes, leading zeros in IPv4 are permitted and zones are not. */
function familyOf(text: string): 4 | 6 | undefined {
  if (text.includes('%')) return undefined;
  const plain = text.includes(':') ? text : text.replaceAll(/(^|\.)0+(?=\d)/g, '$1');
  const address = parseAddress(plain);
  return typeof address === 'string' ? undefined : address.family;
}

/** True for an IPv4 address, and for an IPv6 address that ends in IPv4 notation. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && familyOf(text) !== undefined;
}

export function isIpv6(text: string): boolean {
  return familyOf(text) === 6;
}

export function isCidr(text: string): boolean {
  const [, address = '', length = ''] = /^([^/]*)\/(\d+)$/.exec(text) ?? [];
  const family = familyOf(address);
  return family !== undefined && Number(length) <= (family === 4 ? 32 : 128);
}

/** True for a hardware address of 48 or 64 bits, or the 20 octets of IP over InfiniBand, also without separators. */
export function isMac(text: string): boolean {
  const octets =
    /^([\dA-Fa-f]{2}([:-])[\dA-Fa-f]{2}(\2[\dA-Fa-f]{2})*|[\dA-Fa-f]{4}(\.[\dA-Fa-f]{4})+|[\dA-Fa-f]+)$/;
  return octets.test(text) && [12, 16, 40].includes(text.replaceAll(/[.:-]/g, '').length);
}
