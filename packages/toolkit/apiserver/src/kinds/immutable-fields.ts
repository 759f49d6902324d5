import { objectAt, textAt } from '../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  forbidden,
  invalid,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { validateJobChange } from './workloads/rules-job-change.ts';
import { validatePodChange } from './pods/rules-pod-change.ts';
import { type ChangeRule, immutable } from '../schema/validation-rule.ts';
import { validateNodeChange } from './cluster/rules-node.ts';
import { validateEventChange } from './cluster/rules-event.ts';
import {
  validateClaimTemplateChange,
  validateResourceClaimChange,
} from './devices/rules-device-claim.ts';
import {
  validateIpAddressChange,
  validateServiceRangeChange,
} from './network/rules-service-range.ts';
import {
  validateAttributesClassChange,
  validateDriverChange,
  validateStorageCapacityChange,
} from './storage/rules-storage-class.ts';
import { validateClaimChange } from './storage/claim-change.ts';
import { validateVolumeChange } from './storage/volume-change.ts';
import { validateCsiNodeChange } from './storage/rules-csi-node.ts';
import { validateVolumeAttachmentChange } from './storage/rules-volume-attachment.ts';
import { validateServiceChange } from './services/rules-service-change.ts';

/** The rules for immutable fields of built-in kinds, by the name of the type. */
export const changeRules: Readonly<Record<string, ChangeRule>> = {
  'apps.v1.Deployment': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.ReplicaSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.DaemonSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.StatefulSet': statefulSetChange,
  'batch.v1.Job': validateJobChange,
  'core.v1.ConfigMap': (object, old) => whenImmutable(object, old, ['data', 'binaryData']),
  'core.v1.Secret': (object, old) => [
    ...immutable(object, old, '', 'type'),
    ...whenImmutable(object, old, ['data']),
  ],
  'core.v1.Service': validateServiceChange,
  'core.v1.PersistentVolume': validateVolumeChange,
  'core.v1.PersistentVolumeClaim': validateClaimChange,
  'core.v1.ResourceQuota': quotaChange,
  'core.v1.Pod': validatePodChange,
  'rbac.v1.RoleBinding': roleRefChange,
  'rbac.v1.ClusterRoleBinding': roleRefChange,
  'storage.v1.StorageClass': (object, old) => [
    ...immutable(object, old, '', 'parameters'),
    ...immutable(object, old, '', 'provisioner'),
    ...immutable(object, old, '', 'reclaimPolicy'),
    ...immutable(object, old, '', 'volumeBindingMode'),
  ],
  'scheduling.v1.PriorityClass': (object, old) => [
    ...(object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...immutable(object, old, '', 'preemptionPolicy'),
  ],
  'core.v1.Node': validateNodeChange,
  'storage.v1.CSINode': validateCsiNodeChange,
  'storage.v1.VolumeAttachment': validateVolumeAttachmentChange,
  'storage.v1.CSIDriver': validateDriverChange,
  'storage.v1.CSIStorageCapacity': validateStorageCapacityChange,
  'storage.v1.VolumeAttributesClass': validateAttributesClassChange,
  'networking.v1.IngressClass': (object, old) => {
    const [next, before] = [object, old].map((each) =>
      textAt(objectAt(each, 'spec'), 'controller'),
    );
    return next === before ? [] : [invalid('spec.controller', next, 'field is immutable')];
  },
  'networking.v1.IPAddress': validateIpAddressChange,
  'networking.v1.ServiceCIDR': validateServiceRangeChange,
  'node.v1.RuntimeClass': (object, old) => immutable(object, old, '', 'handler'),
  'resource.v1.ResourceClaim': validateResourceClaimChange,
  'resource.v1.ResourceClaimTemplate': validateClaimTemplateChange,
  'events.v1.Event': validateEventChange,
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

function whenImmutable(object: JsonObject, old: JsonObject, fields: string[]): StatusCause[] {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !jsonEquals(object[field], old[field]));
  return [
    ...(object.immutable === true ? [] : [forbidden('immutable', detail)]),
    ...changed.map((field) => forbidden(field, detail)),
  ];
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

function roleRefChange(object: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(object.roleRef, old.roleRef)) return [];
  const { apiGroup = '', kind = '', name = '' } = objectAt(object, 'roleRef');
  // kube-apiserver prints its internal struct, whose members have other names.
  const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
  return [invalid('roleRef', shown, 'cannot change roleRef')];
}
