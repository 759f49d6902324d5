import { ensureObject, objectAt, objectsAt, textAt } from '../json/json-members.ts';
import { asJson, type JsonObject, ownValue, setOwn } from '@keelson/structural-schema';
import type { ResourceStore } from '../storage/resource-store.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  refused,
  writes,
} from './admission-plugin.ts';
import {
  type Bounded,
  type LimitConstraint,
  maximum,
  maximumRequest,
  minimum,
  ratio,
} from './limit-constraint.ts';
import { podResources, type ResourceSide, sideOf } from '../kinds/pods/pod-resources.ts';
import { type ResourceList, resourceList } from '../kinds/shared/resource-list.ts';
import { objectsIn } from './stored-objects.ts';

const annotation = 'kubernetes.io/limit-ranger';

/** The object or container that one item of a LimitRange bounds. */
type Measured = Pick<Bounded, 'type' | 'requests' | 'limits'>;

/** Sets the default requests and limits of a namespace's LimitRanges on pods, and enforces the bounds. */
export function limitRanger(limitRanges: ResourceStore): AdmissionPlugin {
  return {
    mutate(request) {
      if (!isNewPod(request)) return;
      for (const range of objectsIn(limitRanges, request.object.metadata.namespace)) {
        setDefaults(asJson(request.object), limitsOf(asJson(range)));
      }
    },
    validate(request) {
      if (!isBounded(request)) return;
      for (const range of objectsIn(limitRanges, request.object.metadata.namespace)) {
        const problems = limitsOf(asJson(range)).flatMap((item) => problemsOf(request, item));
        if (problems.length > 0) throw refused(request, aggregate(problems));
      }
    },
  };
}

function isNewPod(request: AdmissionRequest): boolean {
  return writes(request, '', 'pods') && request.old === undefined;
}

/** Updates of a pod are not checked: its resources change only through the subresource `resize`. */
function isBounded(request: AdmissionRequest): boolean {
  if (request.old?.metadata.deletionTimestamp !== undefined) return false;
  if (isNewPod(request) || writes(request, '', 'persistentvolumeclaims')) return true;
  return request.resource.id === 'v1/pods' && request.scope === 'resize';
}

function limitsOf(range: JsonObject): JsonObject[] {
  return objectsAt(objectAt(range, 'spec'), 'limits');
}

function setDefaults(pod: JsonObject, items: readonly JsonObject[]): void {
  const ofContainers = items.filter(({ type }) => type === 'Container');
  const defaults = {
    requests: merged(ofContainers.map((item) => objectAt(item, 'defaultRequest'))),
    limits: merged(ofContainers.map((item) => objectAt(item, 'default'))),
  };
  const spec = objectAt(pod, 'spec');
  const added = [
    ...objectsAt(spec, 'containers').flatMap((each) => complete(each, 'container', defaults)),
    ...objectsAt(spec, 'initContainers').flatMap((each) =>
      complete(each, 'init container', defaults),
    ),
  ];
  if (added.length === 0) return;
  const annotations = ensureObject(ensureObject(pod, 'metadata'), 'annotations');
  annotations[annotation] = `LimitRanger plugin set: ${added.join('; ')}`;
}

/** Returns one list; a later list wins. */
function merged(lists: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(lists.flatMap((list) => Object.entries(list)));
}

/** Adds the missing quantities and returns their description for the annotation. */
function complete(
  container: JsonObject,
  title: string,
  defaults: Readonly<Record<ResourceSide, JsonObject>>,
): string[] {
  return (['requests', 'limits'] as const).flatMap((side) => {
    const present = objectAt(objectAt(container, 'resources'), side);
    const missing = Object.keys(defaults[side]).filter(
      (name) => ownValue(present, name) === undefined,
    );
    if (missing.length === 0) return [];
    const list = ensureObject(ensureObject(container, 'resources'), side);
    for (const name of missing) setOwn(list, name, textAt(defaults[side], name));
    const what = side === 'requests' ? 'request' : 'limit';
    return [`${missing.toSorted().join(', ')} ${what} for ${title} ${textAt(container, 'name')}`];
  });
}

function problemsOf({ resource, object }: AdmissionRequest, item: JsonObject): string[] {
  const spec = objectAt(asJson(object), 'spec');
  const type = textAt(item, 'type');
  const isPod = resource.store.plural === 'pods';
  if (type === 'Container' && isPod) {
    const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
    return containers.flatMap((container) =>
      broken(item, podBounds, { type, ...sidesOf((side) => sideOf(container, side)) }),
    );
  }
  if (type === 'Pod' && isPod) {
    return broken(item, podBounds, { type, ...sidesOf((side) => podResources(spec, side)) });
  }
  if (type !== 'PersistentVolumeClaim' || isPod) return [];
  return broken(item, claimBounds, { type, requests: sideOf(spec, 'requests'), limits: {} });
}

function sidesOf(of: (side: ResourceSide) => ResourceList): Record<ResourceSide, ResourceList> {
  return { requests: of('requests'), limits: of('limits') };
}

const podBounds: readonly [string, LimitConstraint][] = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', ratio],
];
const claimBounds: readonly [string, LimitConstraint][] = [
  ['min', minimum],
  ['max', maximumRequest],
];

function broken(
  item: JsonObject,
  bounds: readonly [string, LimitConstraint][],
  measured: Measured,
): string[] {
  return bounds.flatMap(([member, constraint]) =>
    Object.entries(resourceList(objectAt(item, member))).flatMap(
      ([resource, bound]) => constraint({ ...measured, resource, bound }) ?? [],
    ),
  );
}

/** Formats errors like `Aggregate` in Go: each text once, in brackets if there are several. */
function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
