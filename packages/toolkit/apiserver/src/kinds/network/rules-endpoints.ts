import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  notSupported,
  required,
  tooMany,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { presentName, validName, validPort } from '../../schema/validation-rule.ts';
import {
  addressDetails,
  legacyAddressDetails,
  parseAddress,
  validateEndpointAddress,
} from './network-address.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ADDRESSES = 100;
const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20_000;
const MAX_HINTS = 8;

/** Validates Endpoints except their metadata. Unchanged subsets stay valid. */
export function validateEndpoints(endpoints: JsonObject, old?: JsonObject): StatusCause[] {
  if (old !== undefined && jsonEquals(endpoints.subsets, old.subsets)) return [];
  return objectsAt(endpoints, 'subsets').flatMap((subset, index) =>
    validateSubset(subset, indexPath('subsets', index)),
  );
}

function validateSubset(subset: JsonObject, path: FieldPath): StatusCause[] {
  const [ready, notReady] = [
    objectsAt(subset, 'addresses'),
    objectsAt(subset, 'notReadyAddresses'),
  ];
  const ports = objectsAt(subset, 'ports');
  const isEmpty = ready.length + notReady.length === 0;
  return [
    ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...Object.entries({ addresses: ready, notReadyAddresses: notReady }).flatMap(([name, list]) =>
      list.flatMap((address, index) =>
        validateAddress(address, indexPath(childPath(path, name), index)),
      ),
    ),
    ...ports.flatMap((port, index) =>
      validateSubsetPort(port, ports.length > 1, indexPath(childPath(path, 'ports'), index)),
    ),
  ];
}

function validateAddress(address: JsonObject, path: FieldPath): StatusCause[] {
  const ip = textAt(address, 'ip');
  const field = childPath(path, 'ip');
  return [
    ...legacyAddressDetails(ip).map((detail) => invalid(field, ip, detail)),
    ...validName(checkDnsLabel, address.hostname, childPath(path, 'hostname')),
    ...presentName(checkSubdomain, address.nodeName, childPath(path, 'nodeName')),
    ...validateEndpointAddress(ip, field),
  ];
}

function validateSubsetPort(port: JsonObject, needsName: boolean, path: FieldPath): StatusCause[] {
  const name = childPath(path, 'name');
  return [
    ...(needsName && textAt(port, 'name') === ''
      ? [required(name)]
      : validName(checkDnsLabel, port.name, name)),
    ...validPort(port.port ?? 0, childPath(path, 'port')),
    ...validateProtocol(textAt(port, 'protocol'), childPath(path, 'protocol')),
    ...presentName(checkQualifiedName, port.appProtocol, childPath(path, 'appProtocol')),
  ];
}

function validateProtocol(protocol: string, path: FieldPath): StatusCause[] {
  if (protocol === '') return [required(path)];
  return protocols.includes(protocol) ? [] : [notSupported(path, protocol, protocols)];
}

/** Validates an EndpointSlice except its metadata. Unchanged endpoints stay valid. */
export function validateEndpointSlice(slice: JsonObject, old?: JsonObject): StatusCause[] {
  const type = textAt(slice, 'addressType');
  const isUnchanged = old !== undefined && jsonEquals(slice.endpoints, old.endpoints);
  return [
    ...validateAddressType(type),
    ...validatePorts(objectsAt(slice, 'ports'), 'ports'),
    ...(isUnchanged ? [] : validateSliceEndpoints(objectsAt(slice, 'endpoints'), type)),
  ];
}

function validateAddressType(type: string): StatusCause[] {
  const path = 'addressType';
  if (type === '') return [required(path)];
  return addressTypes.includes(type) ? [] : [notSupported(path, type, addressTypes)];
}

function validatePorts(ports: readonly JsonObject[], path: FieldPath): StatusCause[] {
  if (ports.length > MAX_PORTS) return [tooMany(path, ports.length, MAX_PORTS)];
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const at = indexPath(path, index);
    const name = names[index] ?? '';
    return [
      ...validName(checkDnsLabel, name, childPath(at, 'name')),
      ...(names.indexOf(name) < index ? [duplicate(childPath(at, 'name'), name)] : []),
      ...(port.protocol === ''
        ? [notSupported(childPath(at, 'protocol'), '', protocols)]
        : validateProtocol(textAt(port, 'protocol'), childPath(at, 'protocol'))),
      ...presentName(checkQualifiedName, port.appProtocol, childPath(at, 'appProtocol')),
    ];
  });
}

function validateSliceEndpoints(endpoints: readonly JsonObject[], type: string): StatusCause[] {
  if (endpoints.length > MAX_ENDPOINTS) {
    return [tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)];
  }
  return endpoints.flatMap((endpoint, index) =>
    validateEndpoint(endpoint, type, indexPath('endpoints', index)),
  );
}

function validateEndpoint(endpoint: JsonObject, type: string, path: FieldPath): StatusCause[] {
  return [
    ...validateAddresses(textsAt(endpoint, 'addresses'), type, childPath(path, 'addresses')),
    ...presentName(checkSubdomain, endpoint.nodeName, childPath(path, 'nodeName')),
    ...presentName(checkDnsLabel, endpoint.hostname, childPath(path, 'hostname')),
    ...validateHints(objectAt(endpoint, 'hints'), childPath(path, 'hints')),
  ];
}

function validateAddresses(
  addresses: readonly string[],
  type: string,
  path: FieldPath,
): StatusCause[] {
  const count = addresses.length;
  return [
    ...(count === 0 ? [required(path, 'must contain at least 1 address')] : []),
    ...(count > MAX_ADDRESSES ? [tooMany(path, count, MAX_ADDRESSES)] : []),
    ...addresses.flatMap((address, index) =>
      validateSliceAddress(address, type, { list: path, item: indexPath(path, index) }),
    ),
  ];
}

function validateSliceAddress(
  address: string,
  type: string,
  { list, item }: { readonly list: FieldPath; readonly item: FieldPath },
): StatusCause[] {
  if (type === 'FQDN') return validateDomain(address, item);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const details = type === 'IPv4' ? legacyAddressDetails(address) : addressDetails(address);
  if (details.length > 0) return details.map((detail) => invalid(item, address, detail));
  const isOfType = parseAddress(address)?.isV4 === (type === 'IPv4');
  return [
    ...(isOfType ? [] : [invalid(list, address, `must be an ${type} address`)]),
    ...validateEndpointAddress(address, item),
  ];
}

/** Requires a fully qualified domain name; a dot at its end is ignored. */
function validateDomain(text: string, path: FieldPath): StatusCause[] {
  if (text === '') return [required(path)];
  const name = text.replace(/\.$/, '');
  const details = checkSubdomain(name);
  if (details.length > 0) return details.map((detail) => invalid(path, name, detail));
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  return labels.flatMap((label) =>
    checkDnsLabel(label).map((detail) => invalid(path, label, detail)),
  );
}

function validateHints(hints: JsonObject, path: FieldPath): StatusCause[] {
  const [zones, nodes] = [objectsAt(hints, 'forZones'), objectsAt(hints, 'forNodes')];
  const [zonesPath, nodesPath] = [childPath(path, 'forZones'), childPath(path, 'forNodes')];
  if (zones.length > MAX_HINTS) return [tooMany(zonesPath, zones.length, MAX_HINTS)];
  const zoneCauses = validateHintNames(zones, zonesPath, checkLabelValue);
  if (nodes.length > MAX_HINTS) {
    return [...zoneCauses, tooMany(nodesPath, nodes.length, MAX_HINTS)];
  }
  return [...zoneCauses, ...validateHintNames(nodes, nodesPath, checkSubdomain)];
}

function validateHintNames(
  hints: readonly JsonObject[],
  path: FieldPath,
  check: (text: string) => readonly string[],
): StatusCause[] {
  const names = hints.map((hint) => textAt(hint, 'name'));
  return names.flatMap((name, index) => {
    const field = childPath(indexPath(path, index), 'name');
    return [
      ...(names.indexOf(name) < index ? [duplicate(field, name)] : []),
      ...check(name).map((detail) => invalid(field, name, detail)),
    ];
  });
}
