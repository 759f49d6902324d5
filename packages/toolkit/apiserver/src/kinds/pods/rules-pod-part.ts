import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { without } from '../../schema/validation-rule.ts';
import { type ResourceSide, sideOf } from './pod-resources.ts';
import { qosClassOf } from './qos-class.ts';

const mirror = 'kubernetes.io/config.mirror';
/** How kube-apiserver prints the path of a whole pod. */
const wholePod = '[]';

/** Validates a change of the ephemeral containers of a pod: only new ones are allowed. */
export function validateEphemeralChange(pod: JsonObject, old: JsonObject): StatusCause[] {
  if (isMirror(old))
    return [forbidden(wholePod, 'static pods do not support ephemeral containers')];
  const field = 'spec.ephemeralContainers';
  const next = new Map(
    objectsAt(objectAt(pod, 'spec'), 'ephemeralContainers').map((each) => [each.name, each]),
  );
  return objectsAt(objectAt(old, 'spec'), 'ephemeralContainers').flatMap((before) => {
    const after = next.get(before.name);
    if (after !== undefined && jsonEquals(after, before)) return [];
    const name = JSON.stringify(before.name);
    return [
      after === undefined
        ? forbidden(field, `existing ephemeral containers ${name} may not be removed\n`)
        : forbidden(field, `existing ephemeral containers ${name} may not be changed`),
    ];
  });
}

function isMirror(pod: JsonObject): boolean {
  return objectAt(objectAt(pod, 'metadata'), 'annotations')[mirror] !== undefined;
}

const sides: readonly ResourceSide[] = ['requests', 'limits'];

/** Validates a resize of a pod: processor time and memory may change, and nothing else. */
export function validateResize(pod: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  if (isMirror(old)) return [forbidden(wholePod, 'static pods cannot be resized')];
  if (objectAt(before, 'os').name === 'windows') {
    return [forbidden(wholePod, 'windows pods cannot be resized')];
  }
  const causes = [...validateClass(pod, old), ...validateNode(old), ...podResize(spec, before)];
  const order = ['containers', 'initContainers'].flatMap((list) =>
    sameContainers(objectsAt(spec, list), objectsAt(before, list), list),
  );
  if (order.length > 0) return [...causes, ...order];
  return [
    ...causes,
    ...removals(spec, before, 'initContainers'),
    ...removals(spec, before, 'containers'),
    ...fixedParts(spec, before),
  ];
}

function validateClass(pod: JsonObject, old: JsonObject): StatusCause[] {
  const last = textAt(objectAt(old, 'status'), 'qosClass') || qosClassOf(objectAt(old, 'spec'));
  if (qosClassOf(objectAt(pod, 'spec')) === last) return [];
  const detail = 'Pod QOS Class may not change as a result of resizing';
  return [invalid('spec', last, detail)];
}

/** A kubelet that can resize containers reports their resources. */
function validateNode(old: JsonObject): StatusCause[] {
  const running = objectsAt(objectAt(old, 'status'), 'containerStatuses').find(
    ({ state }) => typeof state === 'object' && state !== null && 'running' in state,
  );
  if (running === undefined || running.resources !== undefined) return [];
  return [forbidden('spec', 'Pod running on node without support for resize')];
}

/** The resources of the whole pod. */
function podResize(spec: JsonObject, before: JsonObject): StatusCause[] {
  const field = 'spec.resources';
  if (before.resources !== undefined && spec.resources === undefined) {
    return [forbidden(field, 'pod-level resources cannot be removed')];
  }
  const removed = sides
    .filter((side) => isRemoved(spec, before, side))
    .map((side) =>
      forbidden(childPath(field, side), `pod-level resource ${side} cannot be removed`),
    );
  const isFixed = jsonEquals(fixedResources(spec), fixedResources(before));
  const detail = 'only cpu and memory resources are mutable at pod-level';
  return [...removed, ...(isFixed ? [] : [forbidden('spec', detail)])];
}

function sameContainers(
  next: readonly JsonObject[],
  before: readonly JsonObject[],
  list: string,
): StatusCause[] {
  const field = `spec.${list}`;
  if (next.length !== before.length) {
    return [forbidden(field, `${list} may not be added or removed on resize`)];
  }
  const detail = `${list} may not be renamed or reordered on resize`;
  return next.flatMap(({ name }, index) =>
    name === before[index]?.name
      ? []
      : [forbidden(childPath(indexPath(field, index), 'name'), detail)],
  );
}

/** A container keeps the requests and limits that it has. */
function removals(spec: JsonObject, before: JsonObject, list: string): StatusCause[] {
  const last = objectsAt(before, list);
  return objectsAt(spec, list).flatMap((container, index) => {
    const path = childPath(indexPath(`spec.${list}`, index), 'resources');
    return sides
      .filter((side) => isRemoved(container, last[index] ?? {}, side))
      .map((side) => forbidden(childPath(path, side), `resource ${side} cannot be removed`));
  });
}

function isRemoved(holder: JsonObject, old: JsonObject, side: ResourceSide): boolean {
  const next = sideOf(holder, side);
  return Object.keys(sideOf(old, side)).some((name) => !Object.hasOwn(next, name));
}

/** The parts of containers that no resize can change. */
function fixedParts(spec: JsonObject, before: JsonObject): StatusCause[] {
  const last = objectsAt(before, 'initContainers');
  return [
    ...objectsAt(spec, 'containers').flatMap((container, index) =>
      isOnlyResized(container, objectsAt(before, 'containers')[index])
        ? []
        : [forbidden('spec', 'only cpu and memory resources are mutable')],
    ),
    ...objectsAt(spec, 'initContainers').flatMap((container, index) =>
      fixedInit(container, last[index] ?? {}, indexPath('spec.initContainers', index)),
    ),
  ];
}

function fixedInit(container: JsonObject, old: JsonObject, path: FieldPath): StatusCause[] {
  const other = 'only cpu and memory resources for init or sidecar containers are mutable';
  const restarts =
    'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
  const isModified = container.restartPolicy !== 'Always' && !jsonEquals(container, old);
  return [
    ...(isOnlyResized(container, old) ? [] : [forbidden(path, other)]),
    ...objectsAt(container, 'resizePolicy')
      .filter(({ restartPolicy }) => isModified && restartPolicy === 'RestartContainer')
      .map(() => forbidden(path, restarts)),
  ];
}

function isOnlyResized(container: JsonObject, old: JsonObject = {}): boolean {
  return jsonEquals(fixedContainer(container), fixedContainer(old));
}

/** The parts of a container that a resize keeps. */
function fixedContainer(container: JsonObject): object {
  return { ...without(container, 'resources'), fixed: fixedResources(container) };
}

/** Requests and limits of other resources than processor time and memory. Claims of containers are validated elsewhere. */
function fixedResources(holder: JsonObject): object {
  const other = (side: ResourceSide): object => without(sideOf(holder, side), 'cpu', 'memory');
  return { requests: other('requests'), limits: other('limits') };
}
