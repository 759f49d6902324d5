import { asJson } from '@keelson/structural-schema';
import { objectAt } from '../json/json-members.ts';
import type { ServedResource } from './served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';

/** The part of an object that a write may change; the URL of the request selects it. */
export type UpdateScope =
  | ''
  | 'status'
  | 'finalize'
  | 'scale'
  | 'ephemeralcontainers'
  | 'resize'
  | 'approval'
  | 'binding';

/** Reverts changes of an update outside its scope. */
export function revertOutsideScope(
  scope: UpdateScope,
  resource: ServedResource,
  next: ApiObject,
  current: ApiObject,
): void {
  switch (scope) {
    case 'status':
      return revertOutsideStatus(resource, next, current);
    case 'approval':
      return revertOutsideApproval(next, current);
    case 'binding':
      return undefined;
    case 'ephemeralcontainers':
      return revertOutsideEphemeralContainers(next, current);
    case 'finalize':
      return copy(next, current, ['status']);
    case '':
      if (resource.strategy.hasStatus) copy(next, current, ['status']);
      return revertFixedSpec(resource, next, current);
    default:
      return copy(next, current, ['status']);
  }
}

function revertOutsideStatus(resource: ServedResource, next: ApiObject, current: ApiObject): void {
  if (resource.facts.custom) {
    const { resourceVersion, managedFields } = next.metadata;
    next.metadata = {
      ...current.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(managedFields !== undefined && { managedFields }),
    };
  } else if (resource.strategy.statusWritesKeepLabels) {
    keepLabels(next, current);
  }
  const outside = new Set([...Object.keys(next), ...Object.keys(current)]);
  outside.delete('status');
  outside.delete('metadata');
  copy(next, current, outside);
}

/** A body need not have the other containers of the pod. */
function revertOutsideEphemeralContainers(next: ApiObject, current: ApiObject): void {
  const { ephemeralContainers } = objectAt(asJson(next), 'spec');
  copy(next, current, ['spec', 'status']);
  const { ephemeralContainers: _, ...spec } = objectAt(asJson(current), 'spec');
  asJson(next).spec = {
    ...spec,
    ...(ephemeralContainers !== undefined && { ephemeralContainers }),
  };
  const { labels, annotations, finalizers, ownerReferences } = current.metadata;
  const kept = { labels, annotations, finalizers, ownerReferences };
  for (const member of Object.keys(kept) as (keyof typeof kept)[]) delete next.metadata[member];
  Object.assign(next.metadata, withoutUndefined(kept));
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** An approval of a certificate request changes its conditions. */
function revertOutsideApproval(next: ApiObject, current: ApiObject): void {
  const { conditions } = objectAt(asJson(next), 'status');
  copy(next, current, ['spec', 'status']);
  const { conditions: _, ...others } = objectAt(asJson(current), 'status');
  if (conditions === undefined && current['status'] === undefined) return;
  asJson(next).status = { ...others, ...(conditions !== undefined && { conditions }) };
}

/** The finalizers in the spec of a namespace change only through `/finalize`; what a certificate request asks never. */
function revertFixedSpec(resource: ServedResource, next: ApiObject, current: ApiObject): void {
  if (fixedSpecs.has(resource.id)) copy(next, current, ['spec']);
}

const fixedSpecs: ReadonlySet<string> = new Set([
  'v1/namespaces',
  'certificates.k8s.io/v1/certificatesigningrequests',
]);

function keepLabels(next: ApiObject, current: ApiObject): void {
  const { labels } = current.metadata;
  if (labels === undefined) delete next.metadata.labels;
  else next.metadata.labels = labels;
}

function copy(next: ApiObject, current: ApiObject, members: Iterable<string>): void {
  for (const member of members) {
    if (current[member] === undefined) delete next[member];
    else next[member] = current[member];
  }
}
