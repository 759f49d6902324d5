import type { StatusCause } from '@keelson/apimachinery';
import { jsonEquals, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { objectAt, objectsAt, textAt } from './default-rule.ts';
import { validateDefinitionChange } from './definition-names.ts';
import { forbidden, invalid } from './field-error.ts';
import { compareQuantities } from './quantity.ts';

type ChangeRule = (object: JsonObject, old: JsonObject) => StatusCause[];

/** What an update of a built-in kind may not change, by the name of its type. */
export const changeRules: Readonly<Record<string, ChangeRule>> = {
  'apps.v1.Deployment': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.ReplicaSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.DaemonSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.StatefulSet': statefulSetChange,
  'apiextensions.v1.CustomResourceDefinition': validateDefinitionChange,
  'batch.v1.Job': jobChange,
  'core.v1.ConfigMap': (object, old) => whenImmutable(object, old, ['data', 'binaryData']),
  'core.v1.Secret': (object, old) => [
    ...immutable(object, old, '', 'type'),
    ...whenImmutable(object, old, ['data']),
  ],
  'core.v1.Service': serviceChange,
  'core.v1.PersistentVolumeClaim': claimChange,
  'core.v1.ResourceQuota': quotaChange,
  'core.v1.Pod': podChange,
  'rbac.v1.RoleBinding': roleRefChange,
  'rbac.v1.ClusterRoleBinding': roleRefChange,
  'storage.v1.StorageClass': (object, old) => [
    ...immutable(object, old, '', 'provisioner'),
    ...immutable(object, old, '', 'reclaimPolicy'),
    ...immutable(object, old, '', 'volumeBindingMode'),
    ...(jsonEquals(object.parameters, old.parameters)
      ? []
      : [forbidden('parameters', 'updates to parameters are forbidden.')]),
  ],
  'scheduling.v1.PriorityClass': (object, old) =>
    object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')],
  'networking.v1.IngressClass': (object, old) => immutable(object, old, 'spec', 'controller'),
  'discovery.v1.EndpointSlice': (object, old) => immutable(object, old, '', 'addressType'),
};

const statefulSetMutable = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

function immutable(
  object: JsonObject,
  old: JsonObject,
  parent: '' | 'spec',
  field: string,
): StatusCause[] {
  const after = parent === '' ? object : objectAt(object, parent);
  const before = parent === '' ? old : objectAt(old, parent);
  if (jsonEquals(after[field], before[field])) return [];
  const path = parent === '' ? field : `${parent}.${field}`;
  return [invalid(path, after[field], 'field is immutable')];
}

function statefulSetChange(object: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(fixedPart(object), fixedPart(old))) return [];
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [forbidden('spec', detail)];
}

function fixedPart(statefulSet: JsonObject): JsonObject {
  const spec = Object.entries(objectAt(statefulSet, 'spec'));
  return Object.fromEntries(spec.filter(([key]) => !statefulSetMutable.has(key)));
}

/** The template of a suspended Job that has not started may still change. */
function jobChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const notStarted =
    objectAt(old, 'spec').suspend === true && objectAt(old, 'status').startTime === undefined;
  const indexed = objectAt(object, 'spec').completionMode === 'Indexed';
  return [
    ...(indexed ? [] : immutable(object, old, 'spec', 'completions')),
    ...immutable(object, old, 'spec', 'selector'),
    ...immutable(object, old, 'spec', 'completionMode'),
    ...(notStarted ? [] : immutable(object, old, 'spec', 'template')),
  ];
}

function whenImmutable(object: JsonObject, old: JsonObject, fields: string[]): StatusCause[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !jsonEquals(object[field], old[field]));
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', detail)]),
    ...changed.map((field) => forbidden(field, detail)),
  ];
}

function serviceChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const hadAddress = ![undefined, '', 'None'].includes(textAt(before, 'clusterIP'));
  if (!hadAddress || spec.type === 'ExternalName' || before.type === 'ExternalName') return [];
  if (spec.clusterIP === before.clusterIP) return [];
  return [invalid('spec.clusterIPs[0]', spec.clusterIPs, 'may not change once set')];
}

function quotaChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [next, before] = [scopesOf(object), scopesOf(old)];
  if (next.size === before.size && [...next].every((scope) => before.has(scope))) return [];
  return [invalid('spec.scopes', objectAt(object, 'spec').scopes, 'field is immutable')];
}

function scopesOf(quota: JsonObject): ReadonlySet<JsonValue> {
  const { scopes } = objectAt(quota, 'spec');
  return new Set(Array.isArray(scopes) ? scopes : []);
}

function claimChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const isBound = objectAt(object, 'status').phase === 'Bound';
  return [
    ...(jsonEquals(fixedClaim(object, old, isBound), fixedClaim(old, old, isBound))
      ? []
      : [forbidden('spec', claimImmutable)]),
    ...shrunkClaim(object, old),
  ];
}

const claimImmutable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** What of a claim is fixed. One without a volume may still be given one, a bound one may ask for more. */
function fixedClaim(claim: JsonObject, old: JsonObject, isBound: boolean): JsonObject {
  const hadVolume = textAt(objectAt(old, 'spec'), 'volumeName') !== '';
  return without(
    objectAt(claim, 'spec'),
    ...(hadVolume ? [] : ['volumeName']),
    ...(isBound ? ['resources', 'volumeAttributesClassName'] : []),
  );
}

/** A claim that could not be expanded may shrink again, but not to the size of its volume. */
function shrunkClaim(object: JsonObject, old: JsonObject): StatusCause[] {
  const capacity = textAt(objectAt(objectAt(old, 'status'), 'capacity'), 'storage');
  if (compareQuantities(claimSize(object), claimSize(old)) >= 0) return [];
  if (compareQuantities(claimSize(object), capacity) > 0) return [];
  const path = 'spec.resources.requests.storage';
  return [forbidden(path, 'field can not be less than status.capacity')];
}

function claimSize(claim: JsonObject): string {
  return textAt(objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests'), 'storage');
}

function roleRefChange(object: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(object.roleRef, old.roleRef)) return [];
  const { apiGroup = '', kind = '', name = '' } = objectAt(object, 'roleRef');
  // The server prints its internal struct, whose members have other names.
  const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
  return [invalid('roleRef', shown, 'cannot change roleRef')];
}

function podChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  if (objectsAt(spec, 'containers').length !== objectsAt(before, 'containers').length) {
    return [forbidden('spec.containers', 'pod updates may not add or remove containers')];
  }
  if (jsonEquals(fixedPod(spec), fixedPod(before)) && !isMoved(spec, before)) return [];
  const detail =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [forbidden('spec', detail)];
}

/** A pod without a node is bound by an update too, and never goes to another. */
function isMoved(spec: JsonObject, before: JsonObject): boolean {
  return textAt(before, 'nodeName') !== '' && spec.nodeName !== before.nodeName;
}

function fixedPod(spec: JsonObject): JsonObject {
  const fixed = without(
    spec,
    'activeDeadlineSeconds',
    'tolerations',
    'schedulingGates',
    'nodeName',
  );
  for (const field of ['containers', 'initContainers']) {
    if (fixed[field] === undefined) continue;
    fixed[field] = objectsAt(spec, field).map((container) => without(container, 'image'));
  }
  return fixed;
}

function without(object: JsonObject, ...fields: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}
