import { objectsAt, textAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';

export function needsClusterIp(spec: JsonObject): boolean {
  return spec.type !== 'ExternalName';
}

export function needsNodePort(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

export function needsHealthPort(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** True if clients outside the cluster can reach a Service. */
export function isExternal(spec: JsonObject): boolean {
  const externals = Array.isArray(spec.externalIPs) ? spec.externalIPs : [];
  return needsNodePort(spec) || (spec.type === 'ClusterIP' && externals.length > 0);
}

/** The node port of a port; 0 if it has none. */
export function nodePortOf(port: JsonObject): number {
  return typeof port.nodePort === 'number' ? port.nodePort : 0;
}

export function nodePortsOf(spec: JsonObject): Set<number> {
  return new Set(
    objectsAt(spec, 'ports')
      .map(nodePortOf)
      .filter((port) => port !== 0),
  );
}

/** The cluster IPs of a Service, from `clusterIPs` or `clusterIP`. */
export function addressesOf(spec: JsonObject): string[] {
  if (Array.isArray(spec.clusterIPs))
    return spec.clusterIPs.filter((each) => typeof each === 'string');
  const single = textAt(spec, 'clusterIP');
  return single === '' ? [] : [single];
}
