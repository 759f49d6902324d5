import { textAt, textsAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import {
  duplicate,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';

const families = ['IPv4', 'IPv6'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const addressDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Validates the addresses and address families of a Service. */
export function validateServiceAddresses(spec: JsonObject): StatusCause[] {
  if (spec.type === 'ExternalName') return [];
  const [address, addresses] = [textAt(spec, 'clusterIP'), textsAt(spec, 'clusterIPs')];
  const policy = textAt(spec, 'ipFamilyPolicy', 'SingleStack');
  const isInSync = (addresses[0] ?? '') === address;
  return [
    ...(isInSync ? [] : [mismatch(spec, addresses)]),
    ...validateFamilies(textsAt(spec, 'ipFamilies')),
    ...(familyPolicies.includes(policy)
      ? []
      : [notSupported('spec.ipFamilyPolicy', policy, familyPolicies)]),
    ...validateAddresses(addresses),
    ...matchFamilies(addresses, textsAt(spec, 'ipFamilies')),
  ];
}

function mismatch(spec: JsonObject, addresses: readonly string[]): StatusCause {
  const field = 'spec.clusterIPs';
  // The registry derives the list from the address, but not for a Service that is created through `/status`.
  if (addresses.length === 0) return required(field);
  if (textAt(spec, 'clusterIP') === '') {
    return invalid(field, addresses, 'must be empty when `clusterIP` is not specified');
  }
  return invalid(field, addresses, 'first value must match `clusterIP`');
}

function validateFamilies(found: readonly string[]): StatusCause[] {
  return found.flatMap((family, index) => {
    const field = indexPath('spec.ipFamilies', index);
    return [
      ...(families.includes(family) ? [] : [notSupported(field, family, families)]),
      ...(found.indexOf(family) < index ? [duplicate(field, family)] : []),
    ];
  });
}

function validateAddresses(addresses: readonly string[]): StatusCause[] {
  const field = 'spec.clusterIPs';
  const causes = addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return isIP(address) === 0 ? [invalid(indexPath(field, index), address, addressDetail)] : [];
    }
    if (addresses.length === 1) return [];
    return [invalid(field, addresses, "'None' must be the first and only value")];
  });
  if (addresses.length > 2) {
    causes.push(invalid(field, addresses, 'may only hold up to 2 values'));
  }
  if (causes.length > 0 || addresses.length < 2) return causes;
  const isDual = new Set(addresses.map((address) => isIP(address))).size === 2;
  const detail = 'may specify no more than one IP for each IP family';
  return isDual ? [] : [invalid(field, addresses, detail)];
}

/** The family of each address must equal the entry of `ipFamilies` at the same index. */
function matchFamilies(addresses: readonly string[], wanted: readonly string[]): StatusCause[] {
  if (addresses[0] === 'None' || addresses.some((address) => isIP(address) === 0)) return [];
  return addresses.flatMap((address, index) => {
    const family = wanted[index];
    if (family === undefined || !families.includes(family)) return [];
    if (family === `IPv${isIP(address)}`) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalid(indexPath('spec.clusterIPs', index), address, detail)];
  });
}
