import { isIP } from 'node:net';
import { asJson, type JsonObject } from '../../patch/json-value.ts';
import { nodePorts, takenPorts } from '../../resources/address-allocator.ts';
import { type AddressRange, isInRange } from '../../resources/address-range.ts';
import { ensureObject, objectAt, objectsAt, textAt } from '../../schema/default-rule.ts';
import { invalid as invalidField } from '../../schema/field-error.ts';
import type { CreateContext } from '../../schema/kind-schema.ts';
import { invalid } from '../../status-answers.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { type AdmissionPlugin, type AdmissionRequest, writes } from '../admission-plugin.ts';
import { dropUnusedServiceValues, keepServiceValues } from './keep-service-values.ts';
import {
  addressesOf,
  needsClusterIp,
  needsHealthPort,
  needsNodePort,
  nodePortOf,
  nodePortsOf,
} from './service-spec.ts';

/** Where addresses and ports of Services come from. */
export interface ServiceNetwork {
  readonly services: ResourceStore;
  readonly range: AddressRange;
  readonly allocator: Omit<CreateContext, 'now'>;
}

/**
 * Allocates the addresses and ports of Services and follows a change of their type: the registry of Services does so
 * before it validates them, where the plugins of kube-apiserver end.
 */
export function serviceNetworking(network: ServiceNetwork): AdmissionPlugin {
  return {
    mutate(request) {
      if (!writes(request, '', 'services')) return;
      const spec = ensureObject(asJson(request.object), 'spec');
      const before = request.old && objectAt(asJson(request.old), 'spec');
      if (before !== undefined) keepServiceValues(spec, before);
      else if (addressesOf(spec).length > 0) spec.clusterIPs ??= addressesOf(spec);
      if (needsClusterIp(spec)) allocateAddresses(request, spec, network, before);
      allocateNodePorts(request, spec, network, before);
      if (before !== undefined) dropUnusedServiceValues(spec, before);
    },
    validate(request) {
      if (writes(request, '', 'services')) warn(request, objectAt(asJson(request.object), 'spec'));
    },
  };
}

function allocateAddresses(
  request: AdmissionRequest,
  spec: JsonObject,
  network: ServiceNetwork,
  before: JsonObject | undefined,
): void {
  setFamilies(request, spec);
  const [address = ''] = addressesOf(spec);
  if (before !== undefined && needsClusterIp(before)) return;
  if (address === '') {
    spec.clusterIP = network.allocator.allocateClusterIp();
  } else if (address !== 'None' && isIP(address) !== 0) {
    checkAddress(request, address, network);
  }
  spec.clusterIPs ??= [textAt(spec, 'clusterIP', address)];
}

function setFamilies(request: AdmissionRequest, spec: JsonObject): void {
  const [address = ''] = addressesOf(spec);
  const isOpen = address === 'None' && Object.keys(objectAt(spec, 'selector')).length === 0;
  if (isOpen && spec.ipFamilyPolicy === undefined) {
    spec.ipFamilyPolicy = 'RequireDualStack';
    spec.ipFamilies ??= ['IPv4', 'IPv6'];
  }
  if (isIP(address) === 6) {
    const detail = 'IPv6 is not configured on this cluster';
    throw invalidService(request, 'spec.clusterIPs[0]', [address], detail);
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack' && !isOpen) {
    const detail = 'this cluster is not configured for dual-stack services';
    throw invalidService(request, 'spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail);
  }
  spec.ipFamilyPolicy ??= 'SingleStack';
  spec.ipFamilies ??= ['IPv4'];
}

function checkAddress(request: AdmissionRequest, address: string, network: ServiceNetwork): void {
  const { services, range } = network;
  const isTaken = [...services.values()].some(({ fields }) => fields['spec.clusterIP'] === address);
  if (isInRange(address, range) && !isTaken) return;
  const why = isTaken
    ? 'provided IP is already allocated'
    : 'the provided network does not match the current range';
  const detail = `failed to allocate IP ${address}: ${why}`;
  throw invalidService(request, 'spec.clusterIPs', [address], detail);
}

/** Ports with the same number, such as those of DNS, share a node port. */
function allocateNodePorts(
  request: AdmissionRequest,
  spec: JsonObject,
  { services, allocator }: ServiceNetwork,
  before: JsonObject = {},
): void {
  if (!needsNodePort(spec)) return;
  const kept = nodePortsOf(before);
  const taken = new Set([...takenPorts(services)].filter((port) => !kept.has(port ?? 0)));
  const byPort = new Map<unknown, number>();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const asked = nodePortOf(port);
    const shared = byPort.get(port.port);
    if (asked !== 0 && asked !== shared) checkNodePort(request, index, asked, taken);
    if (asked === 0 && spec.allocateLoadBalancerNodePorts === false) continue;
    const value = asked === 0 ? (shared ?? allocator.allocateNodePort()) : asked;
    port.nodePort = value;
    taken.add(value);
    byPort.set(port.port, value);
  }
  if (needsHealthPort(spec)) spec.healthCheckNodePort ??= allocator.allocateNodePort();
}

function checkNodePort(
  request: AdmissionRequest,
  index: number,
  port: number,
  taken: ReadonlySet<number | undefined>,
): void {
  const isOutside = port < nodePorts.first || port > nodePorts.last;
  if (!isOutside && !taken.has(port)) return;
  const range = `${nodePorts.first}-${nodePorts.last}`;
  const detail = isOutside
    ? `provided port is not in the valid range. The range of valid ports is ${range}`
    : 'provided port is already allocated';
  throw invalidService(request, `spec.ports[${index}].nodePort`, port, detail);
}

function invalidService(
  { resource, object }: AdmissionRequest,
  field: string,
  value: unknown,
  detail: string,
): Error {
  const subject = resource.subject(object.metadata.name ?? '');
  return invalid(subject, [invalidField(field, value, detail)]);
}

function warn({ warnings }: AdmissionRequest, spec: JsonObject): void {
  if (spec.type === 'ExternalName' || textAt(spec, 'externalName') === '') return;
  warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
}
