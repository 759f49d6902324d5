import type { StatusCause } from '@keelson/apimachinery';
import { checkPortName } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validPort } from '../../schema/validation-rule.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';
import { containsAddress, parseRange, validateLegacyRange } from './network-address.ts';

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

/** Validates a NetworkPolicy except its metadata. */
export function validateNetworkPolicy(policy: JsonObject): StatusCause[] {
  const spec = objectAt(policy, 'spec');
  return [
    ...validateLabelSelector(objectAt(spec, 'podSelector'), 'spec.podSelector'),
    ...validateRules(spec, 'ingress', 'from'),
    ...validateRules(spec, 'egress', 'to'),
    ...validateTypes(textsAt(spec, 'policyTypes'), 'spec.policyTypes'),
  ];
}

function validateRules(spec: JsonObject, direction: string, peers: string): StatusCause[] {
  return objectsAt(spec, direction).flatMap((rule, index) => {
    const path = indexPath(childPath('spec', direction), index);
    return [
      ...objectsAt(rule, 'ports').flatMap((port, at) =>
        validatePort(port, indexPath(childPath(path, 'ports'), at)),
      ),
      ...objectsAt(rule, peers).flatMap((peer, at) =>
        validatePeer(peer, indexPath(childPath(path, peers), at)),
      ),
    ];
  });
}

function validatePort({ protocol, port, endPort }: JsonObject, path: FieldPath): StatusCause[] {
  const isKnown = typeof protocol !== 'string' || protocols.includes(protocol);
  const field = childPath(path, 'port');
  const end = childPath(path, 'endPort');
  const protocolCauses = isKnown
    ? []
    : [notSupported(childPath(path, 'protocol'), protocol, protocols)];
  if (typeof port === 'number') {
    const isBelow = typeof endPort === 'number' && endPort < port;
    return [
      ...protocolCauses,
      ...validPort(port, field),
      ...(isBelow ? [invalid(end, port, 'must be greater than or equal to `port`')] : []),
      ...validPort(endPort, end),
    ];
  }
  const missing = port === undefined ? 'not specified' : 'non-numeric';
  const detail = `may not be specified when \`port\` is ${missing}`;
  return [
    ...protocolCauses,
    ...(endPort === undefined ? [] : [invalid(end, endPort, detail)]),
    ...(typeof port === 'string'
      ? checkPortName(port).map((each) => invalid(field, port, each))
      : []),
  ];
}

function validatePeer(peer: JsonObject, path: FieldPath): StatusCause[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => peer[name] !== undefined);
  const hasBlock = peer.ipBlock !== undefined;
  return [
    ...selectors.flatMap((name) =>
      validateLabelSelector(objectAt(peer, name), childPath(path, name)),
    ),
    ...(hasBlock ? validateBlock(objectAt(peer, 'ipBlock'), childPath(path, 'ipBlock')) : []),
    ...(hasBlock || selectors.length > 0 ? [] : [required(path, 'must specify a peer')]),
    ...(hasBlock && selectors.length > 0
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function validateBlock(block: JsonObject, path: FieldPath): StatusCause[] {
  const text = textAt(block, 'cidr');
  const field = childPath(path, 'cidr');
  if (text === '') return [required(field)];
  const range = parseRange(text);
  const causes = validateLegacyRange(text, field);
  if (range === undefined) return causes;
  const exceptions = textsAt(block, 'except').flatMap((exception, index) => {
    const at = indexPath(childPath(path, 'except'), index);
    const except = parseRange(exception);
    const own = validateLegacyRange(exception, at);
    if (except === undefined) return own;
    const isSubset =
      except.address.isV4 === range.address.isV4 &&
      containsAddress(range, except.address) &&
      range.length < except.length;
    return isSubset ? own : [...own, invalid(at, exception, 'must be a strict subset of `cidr`')];
  });
  return [...causes, ...exceptions];
}

function validateTypes(types: readonly string[], path: FieldPath): StatusCause[] {
  if (types.length > policyTypes.length) {
    return [invalid(path, types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) =>
    policyTypes.includes(type) ? [] : [notSupported(indexPath(path, index), type, policyTypes)],
  );
}
