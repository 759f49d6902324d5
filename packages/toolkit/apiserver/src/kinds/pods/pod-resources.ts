import { objectAt, objectsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import {
  addLists,
  largestOf,
  pickFrom,
  type ResourceList,
  resourceList,
} from '../shared/resource-list.ts';

/** The members of a container's `resources`. */
export type ResourceSide = 'limits' | 'requests';

const podLevelResources = ['cpu', 'memory'];

/**
 * The total requests or limits of a pod. This is the sum over its containers, or the need of one init container plus
 * the sidecars started before it if that is higher. The pod's own `resources` replace the sum.
 */
export function podResources(spec: JsonObject, side: ResourceSide): ResourceList {
  const own = pickFrom(sideOf(spec, side), podLevelResources);
  return { ...containerResources(spec, side), ...own };
}

/** The total requests or limits of the containers of a pod, whatever the pod's own `resources` are. */
export function containerResources(spec: JsonObject, side: ResourceSide): ResourceList {
  const containers = objectsAt(spec, 'containers').map((container) => sideOf(container, side));
  const init = initResources(spec, side);
  const running = [...containers, init.sidecars].reduce(addLists, {});
  return largestOf(running, init.largest);
}

function initResources(
  spec: JsonObject,
  side: ResourceSide,
): { sidecars: ResourceList; largest: ResourceList } {
  let sidecars: ResourceList = {};
  let largest: ResourceList = {};
  for (const container of objectsAt(spec, 'initContainers')) {
    const needed = addLists(sidecars, sideOf(container, side));
    if (container.restartPolicy === 'Always') sidecars = needed;
    largest = largestOf(largest, needed);
  }
  return { sidecars, largest };
}

/** The requests or limits of a container or of a pod. */
export function sideOf(holder: JsonObject, side: ResourceSide): ResourceList {
  return resourceList(objectAt(objectAt(holder, 'resources'), side));
}
