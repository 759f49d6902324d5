import { parseAddressRange } from '../../resources/address-range.ts';

/** An invalid argument of the command line; the message names it. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The number of a port; 0 is any free one. */
export function portOf(flag: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new UsageError(`${flag} takes a number from 0 to 65535, not ${text}`);
  }
  return port;
}

/** `true` or `false`, as Go's flags write them. */
export function booleanOf(flag: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') {
    throw new UsageError(`${flag} takes true or false, not ${text}`);
  }
  return text === 'true';
}

/** A network of IPv4, as `createApiServer` takes it. */
export function networkOf(flag: string, text: string): string {
  if (parseAddressRange(text) === undefined) {
    throw new UsageError(
      `${flag} takes a network of IPv4 with a prefix of 12 to 29 bits, not ${text}`,
    );
  }
  return text;
}

const authorizers = ['AlwaysAllow', 'RBAC'];

/** The mode of a list of authorizers, which allows each request that one of them allows. */
export function authorizationModeOf(list: string): 'AlwaysAllow' | 'RBAC' {
  const modes = list.split(',');
  if (!modes.every((mode) => authorizers.includes(mode))) {
    throw new UsageError(`--authorization-mode takes ${authorizers.join(' or ')}, not ${list}`);
  }
  return modes.includes('AlwaysAllow') ? 'AlwaysAllow' : 'RBAC';
}
