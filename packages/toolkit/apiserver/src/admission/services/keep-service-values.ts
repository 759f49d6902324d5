import { objectsAt, textAt } from '../../json/json-members.ts';
import { jsonEquals, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import {
  isExternal,
  needsClusterIp,
  needsHealthPort,
  needsNodePort,
  nodePortOf,
  nodePortsOf,
} from './service-spec.ts';

/** Copies allocated values of the stored Service into an update that omits them. */
export function keepServiceValues(spec: JsonObject, before: JsonObject): void {
  if (needsClusterIp(spec) && needsClusterIp(before)) {
    keep(spec, before, 'clusterIP');
    if (isEmpty(spec.clusterIPs)) keepList(spec, before);
  }
  followSingleAddress(spec, before);
  if (needsNodePort(spec) && needsNodePort(before)) keepNodePorts(spec, before);
  if (needsHealthPort(spec) && needsHealthPort(before)) keep(spec, before, 'healthCheckNodePort');
}

/** Removes values that the type of the Service does not use, unless the update changed them. */
export function dropUnusedServiceValues(spec: JsonObject, before: JsonObject): void {
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    drop(spec, before, 'clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy');
    delete spec.internalTrafficPolicy;
  }
  const known = nodePortsOf(before);
  const isKnown = [...nodePortsOf(spec)].every((port) => known.has(port));
  if (needsNodePort(before) && !needsNodePort(spec) && isKnown) {
    for (const port of objectsAt(spec, 'ports')) delete port.nodePort;
  }
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop(spec, before, 'healthCheckNodePort');
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    drop(spec, before, 'allocateLoadBalancerNodePorts', 'loadBalancerClass');
  }
  if (isExternal(before) && !isExternal(spec)) drop(spec, before, 'externalTrafficPolicy');
}

/** Follows a client that changes only `clusterIP` and leaves the newer list `clusterIPs` unchanged. */
function followSingleAddress(spec: JsonObject, before: JsonObject): void {
  const [now, former] = [textAt(spec, 'clusterIP'), textAt(before, 'clusterIP')];
  if (now === former) {
    if (isEmpty(spec.clusterIPs)) keepList(spec, before);
    return;
  }
  const isSame = jsonEquals(spec.clusterIPs ?? [], before.clusterIPs ?? []);
  if (!isSame) return;
  if (now === '') delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}

function isEmpty(list: JsonValue | undefined): boolean {
  return !Array.isArray(list) || list.length === 0;
}

function keepList(spec: JsonObject, before: JsonObject): void {
  if (before.clusterIPs !== undefined) spec.clusterIPs = before.clusterIPs;
}

/** Matches ports by name, even if other fields of the port changed. */
function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  const present = nodePortsOf(spec);
  const used = new Set([...nodePortsOf(before)].filter((port) => present.has(port)));
  const former = new Map(
    objectsAt(before, 'ports').map((port) => [textAt(port, 'name'), nodePortOf(port)]),
  );
  for (const port of objectsAt(spec, 'ports')) {
    const value = former.get(textAt(port, 'name')) ?? 0;
    if (nodePortOf(port) !== 0 || value === 0 || used.has(value)) continue;
    port.nodePort = value;
  }
}

function keep(spec: JsonObject, before: JsonObject, member: string): void {
  const value = before[member];
  const present = spec[member];
  if (value !== undefined && (present === undefined || present === '' || present === 0)) {
    spec[member] = value;
  }
}

function drop(spec: JsonObject, before: JsonObject, ...members: string[]): void {
  for (const member of members) {
    if (jsonEquals(spec[member], before[member])) delete spec[member];
  }
}
