import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { compareQuantities } from '@keelson/cel/internal';
import type { JsonObject } from '@keelson/structural-schema';

/** The QoS class of a pod, from its own requests and limits, or else from those of its containers. */
export function qosClassOf(spec: JsonObject): string {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  // The pod's own resources decide alone.
  const holders = spec.resources === undefined ? containers : [spec];
  const all = holders.map((holder) => objectAt(holder, 'resources'));
  if (!all.some((each) => isSet(objectAt(each, 'requests')) || isSet(objectAt(each, 'limits')))) {
    return 'BestEffort';
  }
  return all.every((each) => isGuaranteed(each)) ? 'Guaranteed' : 'Burstable';
}

function isSet(list: JsonObject): boolean {
  return ['cpu', 'memory'].some((name) => compareQuantities(textAt(list, name), '0') !== 0);
}

function isGuaranteed(resources: JsonObject): boolean {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  return ['cpu', 'memory'].every(
    (name) =>
      compareQuantities(textAt(limits, name), '0') !== 0 &&
      compareQuantities(textAt(limits, name), textAt(requests, name, textAt(limits, name))) === 0,
  );
}
