import { ensureObject, objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import { nodePorts, takenPorts } from '../../resources/address-allocator.ts';
import { type AddressRange, isInRange } from '../../resources/address-range.ts';
import type { CreateContext } from '../../schema/kind-schema.ts';
import { failure } from '../../status-errors/status-errors.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { type AdmissionPlugin, type AdmissionRequest, writes } from '../admission-plugin.ts';
import { invalidService, setAddressFamilies } from './address-families.ts';
import { dropUnusedServiceValues, keepServiceValues } from './keep-service-values.ts';
import {
  addressesOf,
  needsClusterIp,
  needsHealthPort,
  needsNodePort,
  nodePortOf,
  nodePortsOf,
} from './service-spec.ts';

/** The allocators of addresses and ports for Services. */
export interface ServiceNetwork {
  readonly services: ResourceStore;
  readonly range: AddressRange;
  readonly allocator: Omit<CreateContext, 'now'>;
}

/**
 * Allocates addresses and ports of Services and follows changes of their type. In kube-apiserver the registry of
 * Services does this after admission and before validation.
 */
export function serviceNetworking(network: ServiceNetwork): AdmissionPlugin {
  return {
    mutate(request) {
      if (!writes(request, '', 'services')) return;
      const service = asJson(request.object);
      const spec = ensureObject(service, 'spec');
      const before = request.old && objectAt(asJson(request.old), 'spec');
      if (before !== undefined) keepServiceValues(spec, before);
      else if (addressesOf(spec).length > 0) spec.clusterIPs ??= addressesOf(spec);
      if (needsClusterIp(spec)) allocateAddresses(request, spec, network, before);
      allocateNodePorts(request, spec, network, before);
      if (before === undefined) return;
      dropUnusedServiceValues(spec, before);
      if (spec.type !== 'LoadBalancer') clearLoadBalancerStatus(service);
    },
  };
}

/**
 * Clears the load balancer status of a Service of another type. The stored object may share the status, so this
 * replaces the status.
 */
function clearLoadBalancerStatus(service: JsonObject): void {
  if (service.status !== undefined) {
    service.status = { ...objectAt(service, 'status'), loadBalancer: {} };
  }
}

function allocateAddresses(
  request: AdmissionRequest,
  spec: JsonObject,
  network: ServiceNetwork,
  before: JsonObject | undefined,
): void {
  setAddressFamilies(request, spec, before);
  const [address = ''] = addressesOf(spec);
  if (before !== undefined && needsClusterIp(before)) return;
  if (address === '') {
    spec.clusterIP = allocatedAddress(request, network);
  } else if (address !== 'None' && isIP(address) !== 0) {
    checkAddress(request, address, network);
  }
  spec.clusterIPs ??= [textAt(spec, 'clusterIP', address)];
}

/** Throws 422 for a Service without a name, which the IPAddress of its address would need. */
function allocatedAddress(request: AdmissionRequest, { allocator }: ServiceNetwork): string {
  const address = allocator.allocateClusterIp();
  if ((request.object.metadata.name ?? '') !== '') return address;
  const problem = `IPAddress.networking.k8s.io "${address}" is invalid: spec.parentRef.name: Required value`;
  throw invalidService(request, 'spec.clusterIPs', [''], `failed to allocate IP: ${problem}`);
}

function checkAddress(request: AdmissionRequest, address: string, network: ServiceNetwork): void {
  const { services, range } = network;
  const isInside = isInRange(address, range);
  const isTaken = [...services.values()].some(({ fields }) => fields['spec.clusterIP'] === address);
  if (isInside && !isTaken) return;
  const why = isInside
    ? 'provided IP is already allocated'
    : 'the provided network does not match the current range';
  const detail = `failed to allocate IP ${address}: ${why}`;
  throw invalidService(request, 'spec.clusterIPs', [address], detail);
}

function allocateNodePorts(
  request: AdmissionRequest,
  spec: JsonObject,
  { services, allocator }: ServiceNetwork,
  before: JsonObject | undefined,
): void {
  if (!needsNodePort(spec)) return;
  const taken = takenPorts(services);
  if (before === undefined) allocateNewPorts(request, spec, allocator, new Set(taken));
  else allocateChangedPorts(request, spec, allocator, { taken: new Set(taken), before });
  if (needsHealthPort(spec)) spec.healthCheckNodePort ??= allocator.allocateNodePort();
}

/** In a new Service, ports with the same number, such as TCP and UDP for DNS, share a node port. */
function allocateNewPorts(
  request: AdmissionRequest,
  spec: JsonObject,
  allocator: ServiceNetwork['allocator'],
  taken: Set<number | undefined>,
): void {
  const byPort = new Map<unknown, number>();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const asked = nodePortOf(port);
    const shared = byPort.get(port.port);
    if (asked !== 0 && asked !== shared) checkNodePort(request, index, asked, taken);
    if (asked === 0 && !allocatesNodePorts(spec)) continue;
    const value = asked === 0 ? (shared ?? allocator.allocateNodePort()) : asked;
    port.nodePort = value;
    taken.add(value);
    byPort.set(port.port, value);
  }
}

/** In an update, every port without a node port gets one of its own. */
function allocateChangedPorts(
  request: AdmissionRequest,
  spec: JsonObject,
  allocator: ServiceNetwork['allocator'],
  { taken, before }: { taken: ReadonlySet<number | undefined>; before: JsonObject },
): void {
  const kept = nodePortsOf(before);
  const ports = objectsAt(spec, 'ports');
  for (const [index, port] of ports.entries()) {
    const asked = nodePortOf(port);
    if (asked === 0 && !allocatesNodePorts(spec)) continue;
    if (asked === 0) port.nodePort = allocator.allocateNodePort();
    else if (!kept.has(asked)) checkNodePort(request, index, asked, taken);
    checkSingle(ports.slice(0, index), port);
  }
}

/** Only a load balancer can do without node ports. An update to another type may still have the field. */
function allocatesNodePorts(spec: JsonObject): boolean {
  return spec.type !== 'LoadBalancer' || spec.allocateLoadBalancerNodePorts !== false;
}

/** kube-apiserver reports the same node port of two ports as an internal error. */
function checkSingle(earlier: readonly JsonObject[], port: JsonObject): void {
  const pair = pairOf(port);
  if (earlier.some((one) => pairOf(one) === pair))
    throw failure(500, '', `duplicate nodePort: {${pair}}`);
}

function pairOf(port: JsonObject): string {
  return `${textAt(port, 'protocol')} ${nodePortOf(port)}`;
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
