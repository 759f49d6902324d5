import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { forbidden, indexPath, invalid, type JsonObject } from '@keelson/structural-schema';
import { needsHealthCheck, validateBalancerClass } from './rules-service.ts';

/** Validates the immutable fields in an update of a Service. */
export function validateServiceChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const hasAddresses = spec.type !== 'ExternalName' && before.type !== 'ExternalName';
  return [
    ...(hasAddresses ? [...addressChange(spec, before), ...familyChange(spec, before)] : []),
    ...balancerClassChange(spec, before),
    ...healthPortChange(spec, before),
  ];
}

const once = 'may not change once set';

/** A Service may add or remove a second address; the first one is immutable. */
function addressChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (isHeadless(spec) && isHeadless(before)) return [];
  const [now, former] = [textsAt(spec, 'clusterIPs'), textsAt(before, 'clusterIPs')];
  const shown = now.length === 0 ? null : now;
  if (former.length > 0 && now.length === 0) {
    return [invalid('spec.clusterIPs[0]', shown, 'primary clusterIP can not be unset')];
  }
  const compared = now.length === former.length ? former : former.slice(0, 1);
  return compared.flatMap((address, index) =>
    address === now[index] ? [] : [invalid(indexPath('spec.clusterIPs', index), shown, once)],
  );
}

function familyChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (isHeadless(spec) || isHeadless(before)) return [];
  const [now, former] = [textsAt(spec, 'ipFamilies'), textsAt(before, 'ipFamilies')];
  const compared = now.length === former.length ? former : former.slice(0, 1);
  return compared.flatMap((family, index) =>
    now.length === 0 || family === now[index] ? [] : [invalid('spec.ipFamilies[0]', now, once)],
  );
}

/** kube-apiserver validates the load balancer class of an update twice: here and with the other fields. */
function balancerClassChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  const isSame = spec.loadBalancerClass === before.loadBalancerClass;
  const stays = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  return [
    ...(stays && !isSame
      ? [invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, once)]
      : []),
    ...validateBalancerClass(spec),
  ];
}

function healthPortChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (!needsHealthCheck(spec) || !needsHealthCheck(before)) return [];
  if (spec.healthCheckNodePort === before.healthCheckNodePort) return [];
  return [forbidden('spec.healthCheckNodePort', 'field is immutable')];
}

function isHeadless(spec: JsonObject): boolean {
  return textAt(spec, 'clusterIP') === 'None';
}
