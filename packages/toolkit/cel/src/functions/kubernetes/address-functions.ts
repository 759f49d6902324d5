import type { CelType } from '../../types/cel-type.ts';
import { cidrType, type Overload, overload } from '../../types/function-declaration.ts';
import { fail, succeeds } from '../../values/evaluation-error.ts';
import { IpAddress, parsePrefix } from '../../values/addresses/ip-address.ts';
import { LibraryValue } from '../../values/value.ts';

/** The functions of IP addresses and networks. */
export const addressFunctions: readonly Overload[] = [
  overload('ip(string): IP', (text: string) => IpAddress.parse(text)),
  overload('isIP(string): bool', (text: string) => IpAddress.isAddress(text)),
  overload(
    'ip.isCanonical(string): bool',
    (text: string) => IpAddress.parse(text).toString() === text,
  ),
  overload('IP.family(): int', ({ family }: IpAddress) => BigInt(family)),
  ...flags(),
  overload('string(IP): string', String),
  overload('cidr(string): CIDR', (text: string) => new Network(text)),
  overload('isCIDR(string): bool', (text: string) => succeeds(() => parsePrefix(text))),
  // Fails with the same message as kube-apiserver, which does not say that the address is invalid.
  overload('CIDR.containsIP(string): bool', (network: Network, text: string) =>
    IpAddress.isAddress(text) ? network.contains(IpAddress.parse(text)) : fail('no such overload'),
  ),
  overload('CIDR.containsIP(IP): bool', (network: Network, address: IpAddress) =>
    network.contains(address),
  ),
  overload('CIDR.containsCIDR(string): bool', (network: Network, text: string) =>
    network.covers(new Network(text)),
  ),
  overload('CIDR.containsCIDR(CIDR): bool', (network: Network, other: Network) =>
    network.covers(other),
  ),
  overload('CIDR.ip(): IP', ({ address }: Network) => address),
  overload('CIDR.prefixLength(): int', ({ length }: Network) => BigInt(length)),
  overload('CIDR.masked(): CIDR', (network: Network) => network.masked),
  overload('string(CIDR): string', String),
];

function flags(): readonly Overload[] {
  const names = [
    'isUnspecified',
    'isLoopback',
    'isLinkLocalMulticast',
    'isLinkLocalUnicast',
    'isGlobalUnicast',
  ] as const;
  return names.map((name) => overload(`IP.${name}(): bool`, (address: IpAddress) => address[name]));
}

class Network extends LibraryValue {
  readonly address: IpAddress;
  readonly length: number;

  constructor(text: string) {
    super();
    const { address, length } = parsePrefix(text);
    this.address = address;
    this.length = length;
  }

  readonly goType = 'cel.CIDR';

  get native(): string {
    return `(netip.Prefix)${String(this)}`;
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  get type(): CelType {
    return cidrType;
  }

  contains(address: IpAddress): boolean {
    return address.family === this.address.family && this.address.sharesBits(address, this.length);
  }

  covers({ address, length }: Network): boolean {
    return this.contains(address) && this.length <= length;
  }

  get masked(): Network {
    const { family, width, bits } = this.address;
    const rest = BigInt(width - this.length);
    return new Network(`${String(new IpAddress(family, (bits >> rest) << rest))}/${this.length}`);
  }

  override toString(): string {
    return `${String(this.address)}/${this.length}`;
  }
}
