import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomainWithUnderscores } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { legacyAddressDetails } from '../network/network-address.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCH_PATHS = 32;
/** The limit for all search paths with a space between two of them. */
const MAX_SEARCH_LIST_CHARACTERS = 2048;

/** Validates `dnsConfig` of a pod, which the policy `None` requires. */
export function validateDns(spec: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'dnsConfig');
  const config = objectAt(spec, 'dnsConfig');
  if (spec.dnsPolicy === 'None') {
    if (spec.dnsConfig === undefined) {
      return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    }
    if (textsAt(config, 'nameservers').length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(childPath(field, 'nameservers'), detail)];
    }
  }
  return [
    ...validateNameservers(textsAt(config, 'nameservers'), childPath(field, 'nameservers')),
    ...validateSearches(textsAt(config, 'searches'), childPath(field, 'searches')),
    ...objectsAt(config, 'options').flatMap((option, index) =>
      textAt(option, 'name') === ''
        ? [required(indexPath(childPath(field, 'options'), index), 'must not be empty')]
        : [],
    ),
  ];
}

function validateNameservers(servers: readonly string[], path: FieldPath): StatusCause[] {
  const many = `must not have more than ${MAX_NAMESERVERS} nameservers`;
  return [
    ...(servers.length > MAX_NAMESERVERS ? [invalid(path, servers, many)] : []),
    ...servers.flatMap((server, index) =>
      legacyAddressDetails(server).map((detail) => invalid(indexPath(path, index), server, detail)),
    ),
  ];
}

function validateSearches(searches: readonly string[], path: FieldPath): StatusCause[] {
  const many = `must not have more than ${MAX_SEARCH_PATHS} search paths`;
  const long = `must not have more than ${MAX_SEARCH_LIST_CHARACTERS} characters (including spaces) in the search list`;
  return [
    ...(searches.length > MAX_SEARCH_PATHS ? [invalid(path, searches, many)] : []),
    ...(Buffer.byteLength(searches.join(' ')) > MAX_SEARCH_LIST_CHARACTERS
      ? [invalid(path, searches, long)]
      : []),
    ...searches.flatMap((search, index) => {
      if (search === '.') return [];
      const name = search.endsWith('.') ? search.slice(0, -1) : search;
      return checkSubdomainWithUnderscores(name).map((detail) =>
        invalid(indexPath(path, index), name, detail),
      );
    }),
  ];
}
