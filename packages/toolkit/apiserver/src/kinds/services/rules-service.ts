import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, checkSubdomain, hasFormat, goTrim } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
  validateLabels,
} from '@keelson/structural-schema';
import { legacyAddressDetails, validateEndpointAddress } from '../network/network-address.ts';
import { validateServiceAddresses } from './rules-service-addresses.ts';
import { validateServicePorts } from './rules-service-ports.ts';
import { presentName, validName } from '../../schema/validation-rule.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const affinities = ['ClientIP', 'None'];
const trafficPolicies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
/** The longest session affinity: one day in seconds. */
const MAX_AFFINITY_SECONDS = 86_400;

/** Validates a Service except its metadata. */
export function validateService(service: JsonObject): StatusCause[] {
  const spec = objectAt(service, 'spec');
  return [
    ...validateType(spec),
    ...validateServicePorts(spec),
    ...validateLabels(objectAt(spec, 'selector') as Record<string, string>, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateServiceAddresses(spec),
    ...validateExternalIps(spec),
    ...oneOf(spec, 'type', types),
    ...noNodePorts(spec),
    ...repeatedNodePorts(spec),
    ...repeatedPorts(spec),
    ...validateLoadBalancer(spec),
    ...validateTraffic(spec),
  ];
}

function validateType(spec: JsonObject): StatusCause[] {
  const headless = spec.clusterIP === 'None';
  const type = textAt(spec, 'type');
  const causes =
    objectsAt(spec, 'ports').length === 0 && !headless && type !== 'ExternalName'
      ? [required('spec.ports')]
      : [];
  if (type === 'ExternalName') return [...causes, ...validateExternalName(spec)];
  if (!headless || (type !== 'LoadBalancer' && type !== 'NodePort')) return causes;
  const detail = `may not be set to 'None' for ${type} services`;
  return [...causes, invalid('spec.clusterIPs[0]', 'None', detail)];
}

function validateExternalName(spec: JsonObject): StatusCause[] {
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const unwanted = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter(
    (field) => spec[field] !== undefined,
  );
  return [
    ...unwanted.map((field) =>
      forbidden(childPath('spec', field), 'may not be set for ExternalName services'),
    ),
    ...(name === ''
      ? [required('spec.externalName')]
      : validName(checkSubdomain, name, 'spec.externalName')),
  ];
}

function validateAffinity(spec: JsonObject): StatusCause[] {
  const affinity = textAt(spec, 'sessionAffinity');
  const field = 'spec.sessionAffinityConfig';
  const timeout = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP').timeoutSeconds;
  const causes = oneOf(spec, 'sessionAffinity', affinities);
  if (affinity === 'None' && spec.sessionAffinityConfig !== undefined) {
    return [...causes, forbidden(field, 'must not be set when session affinity is None')];
  }
  if (affinity !== 'ClientIP' || typeof timeout !== 'number') return causes;
  if (timeout > 0 && timeout <= MAX_AFFINITY_SECONDS) return causes;
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [...causes, invalid(`${field}.clientIP.timeoutSeconds`, timeout, detail)];
}

function validateExternalIps(spec: JsonObject): StatusCause[] {
  return textsAt(spec, 'externalIPs').flatMap((address, index) => {
    const path = indexPath('spec.externalIPs', index);
    const details = legacyAddressDetails(address);
    return details.length > 0
      ? details.map((detail) => invalid(path, address, detail))
      : validateEndpointAddress(address, path);
  });
}

function noNodePorts(spec: JsonObject): StatusCause[] {
  if (spec.type !== 'ClusterIP') return [];
  return objectsAt(spec, 'ports').flatMap((port, index) =>
    port.nodePort === undefined
      ? []
      : [
          forbidden(
            childPath(indexPath('spec.ports', index), 'nodePort'),
            "may not be used when `type` is 'ClusterIP'",
          ),
        ],
  );
}

/** Ports of one protocol have different node ports. A port that a Service has twice gets its node port twice. */
function repeatedNodePorts(spec: JsonObject): StatusCause[] {
  const ports = objectsAt(spec, 'ports');
  const keys = ports.map(({ protocol, nodePort }) => JSON.stringify([protocol, nodePort]));
  return ports.flatMap(({ nodePort }, index) => {
    if (nodePort === undefined || keys.indexOf(keys[index] ?? '') === index) return [];
    return [duplicate(childPath(indexPath('spec.ports', index), 'nodePort'), nodePort)];
  });
}

function repeatedPorts(spec: JsonObject): StatusCause[] {
  const ports = objectsAt(spec, 'ports');
  const keys = ports.map(({ protocol, port }) => JSON.stringify([protocol, port]));
  return ports.flatMap(({ protocol, port }, index) => {
    if (keys.indexOf(keys[index] ?? '') === index) return [];
    // kube-apiserver prints its internal struct, whose members have other names.
    const shown = {
      Name: '',
      Protocol: protocol,
      AppProtocol: null,
      Port: port,
      TargetPort: 0,
      NodePort: 0,
    };
    return [duplicate(indexPath('spec.ports', index), shown)];
  });
}

function validateLoadBalancer(spec: JsonObject): StatusCause[] {
  const isBalancer = spec.type === 'LoadBalancer';
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  // kube-apiserver writes this field with the name of the Go struct.
  const rangesField = 'spec.LoadBalancerSourceRanges';
  const wrongRange = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return [
    ...(ranges.length > 0 && !isBalancer ? [forbidden(rangesField, onlyBalancers)] : []),
    ...ranges.flatMap((range, index) => {
      const network = goTrim(range);
      if (hasFormat(network, 'cidr')) return [];
      return [invalid(indexPath(rangesField, index), network, wrongRange)];
    }),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer
      ? [forbidden('spec.allocateLoadBalancerNodePorts', onlyBalancers)]
      : []),
    ...validateBalancerClass(spec),
  ];
}

/** Validates the load balancer class of a Service. */
export function validateBalancerClass(spec: JsonObject): StatusCause[] {
  const path: FieldPath = 'spec.loadBalancerClass';
  if (spec.type === 'LoadBalancer') {
    return presentName(checkQualifiedName, spec.loadBalancerClass, path);
  }
  return spec.loadBalancerClass === undefined ? [] : [forbidden(path, onlyBalancers)];
}

/** True if clients outside the cluster can reach the Service. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') return true;
  return spec.type === 'ClusterIP' && Array.isArray(spec.externalIPs);
}

/** True if kube-proxy responds to health checks of a load balancer for the Service. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

function validateTraffic(spec: JsonObject): StatusCause[] {
  const policy = textAt(spec, 'externalTrafficPolicy');
  const field = 'spec.externalTrafficPolicy';
  const outside = isExternallyAccessible(spec)
    ? oneOf(spec, 'externalTrafficPolicy', trafficPolicies)
    : policy === ''
      ? []
      : [invalid(field, policy, 'may only be set for externally-accessible services')];
  const distribution = textAt(spec, 'trafficDistribution', 'PreferClose');
  return [
    ...outside,
    ...validateHealthPort(spec),
    ...(spec.internalTrafficPolicy === undefined
      ? []
      : presentOneOf(spec, 'internalTrafficPolicy', trafficPolicies)),
    ...(distributions.includes(distribution)
      ? []
      : [notSupported('spec.trafficDistribution', distribution, distributions)]),
  ];
}

function validateHealthPort(spec: JsonObject): StatusCause[] {
  const port = spec.healthCheckNodePort;
  if (needsHealthCheck(spec) || port === undefined || port === 0) return [];
  const detail =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid('spec.healthCheckNodePort', port, detail)];
}

/** As `oneOf`, for a field that is a pointer in Go and may be an empty text. */
function presentOneOf(spec: JsonObject, name: string, allowed: readonly string[]): StatusCause[] {
  const value = textAt(spec, name);
  return allowed.includes(value) ? [] : [notSupported(childPath('spec', name), value, allowed)];
}

function oneOf(spec: JsonObject, name: string, allowed: readonly string[]): StatusCause[] {
  const value = textAt(spec, name);
  const field = childPath('spec', name);
  if (value === '') return [required(field)];
  return allowed.includes(value) ? [] : [notSupported(field, value, allowed)];
}
