import { jsonEquals, type JsonObject } from '../../patch/json-value.ts';
import { objectsAt, textAt } from '../../schema/default-rule.ts';
import {
  isExternal,
  needsClusterIp,
  needsHealthPort,
  needsNodePort,
  nodePortOf,
  nodePortsOf,
} from './service-spec.ts';

/** Gives an update of a Service the allocated values that it leaves out. */
export function keepServiceValues(spec: JsonObject, before: JsonObject): void {
  if (needsClusterIp(spec) && needsClusterIp(before)) keepAddresses(spec, before);
  if (needsNodePort(spec) && needsNodePort(before)) keepNodePorts(spec, before);
  if (needsHealthPort(spec) && needsHealthPort(before)) keep(spec, before, 'healthCheckNodePort');
}

/** Takes out of an update what its type has no use for, unless the writer has changed it. */
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

/** A writer of former times sends one of the two members. */
function keepAddresses(spec: JsonObject, before: JsonObject): void {
  if (textAt(spec, 'clusterIP') === '') keep(spec, before, 'clusterIP');
  const isSame = jsonEquals(spec.clusterIPs, before.clusterIPs);
  if (spec.clusterIP !== before.clusterIP) {
    if (isSame) spec.clusterIPs = [textAt(spec, 'clusterIP')];
  } else if (!Array.isArray(spec.clusterIPs) || spec.clusterIPs.length === 0) {
    keep(spec, before, 'clusterIPs');
  }
  keep(spec, before, 'ipFamilies');
  keep(spec, before, 'ipFamilyPolicy');
}

/** By the name of the port, whatever else of it has changed. */
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
    used.add(value);
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
