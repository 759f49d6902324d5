import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkQualifiedName,
  checkSubdomain,
  compareQuantities,
} from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  isJsonObject,
  type JsonObject,
  jsonEquals,
  keyPath,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import {
  type OrderedRules,
  validName,
  type ValidationRules,
} from '../../schema/validation-rule.ts';
import { needs } from '../pods/rules-volume.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';
import { wholeUnits } from '../shared/whole-units.ts';
import { validateAccessModes, validateVolumeMode } from './access-modes.ts';

/** Ordered validation rules of claims, also those in StatefulSets and in volumes of pods. */
export const claimOrders: OrderedRules = {
  // In a StatefulSet, a claim has metadata and a status that kube-apiserver does not validate.
  'core.v1.PersistentVolumeClaim': (_, __, fields) => fields.validate('spec'),
  'core.v1.PersistentVolumeClaimSpec': validateClaim,
};

/** Validation rules of the status of a claim. */
export const claimRules: ValidationRules = {
  'core.v1.PersistentVolumeClaimStatus': validateClaimStatus,
};

function validateClaim(spec: JsonObject, path: FieldPath): StatusCause[] {
  const modes = textsAt(spec, 'accessModes');
  const field = childPath(path, 'accessModes');
  return [
    ...(modes.length === 0 ? [required(field, 'at least 1 access mode is required')] : []),
    ...(isJsonObject(spec.selector)
      ? validateLabelSelector(spec.selector, childPath(path, 'selector'))
      : []),
    ...validateAccessModes(modes, field),
    ...validateStorage(spec, childPath(path, 'resources[storage]')),
    ...validName(checkSubdomain, spec.storageClassName, childPath(path, 'storageClassName')),
    ...validateVolumeMode(spec.volumeMode, childPath(path, 'volumeMode')),
    ...validateDataSource(spec.dataSource, childPath(path, 'dataSource')),
    ...validateDataSource(spec.dataSourceRef, childPath(path, 'dataSourceRef')),
    ...validateDataSources(spec, path),
    ...validName(
      checkSubdomain,
      spec.volumeAttributesClassName,
      childPath(path, 'volumeAttributesClassName'),
    ),
  ];
}

function validateStorage(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { storage } = objectAt(objectAt(spec, 'resources'), 'requests');
  if (storage === undefined) return [required(path)];
  if (typeof storage !== 'string' || compareQuantities(storage, '0') > 0) return [];
  return [invalid(path, storage, 'must be greater than zero')];
}

function validateDataSource(source: unknown, path: FieldPath): StatusCause[] {
  if (!isJsonObject(source)) return [];
  const [kind, group] = [textAt(source, 'kind'), textAt(source, 'apiGroup')];
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...needs(source, path, 'name', 'kind'),
    ...(group === '' && kind !== 'PersistentVolumeClaim' ? [invalid(path, kind, detail)] : []),
    ...validName(checkSubdomain, group, childPath(path, 'apiGroup')),
    ...validName(checkDnsLabel, source.namespace, childPath(path, 'namespace')),
  ];
}

/** Both members name the same source, unless it is in another namespace. */
function validateDataSources(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { dataSource, dataSourceRef } = spec;
  if (!isJsonObject(dataSource) || !isJsonObject(dataSourceRef)) return [];
  if (textAt(dataSourceRef, 'namespace') !== '') {
    // kube-apiserver prints a path here, whose members are private.
    return [invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const isSame = ['apiGroup', 'kind', 'name'].every((name) =>
    jsonEquals(dataSource[name] ?? null, dataSourceRef[name] ?? null),
  );
  return isSame ? [] : [invalid(path, {}, 'must match dataSourceRef')];
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

function validateClaimStatus(status: JsonObject, path: FieldPath): StatusCause[] {
  const resizes = objectAt(status, 'allocatedResourceStatuses');
  const resizesPath = childPath(path, 'allocatedResourceStatuses');
  return [
    ...validateQuantities(objectAt(status, 'capacity'), childPath(path, 'capacity')),
    ...Object.keys(resizes).flatMap((name) => [
      ...validateResourceKey(name, resizesPath),
      ...(resizeStatuses.includes(textAt(resizes, name))
        ? []
        : [notSupported(resizesPath, name, resizeStatuses)]),
    ]),
    ...validateAllocated(
      objectAt(status, 'allocatedResources'),
      childPath(path, 'allocatedResources'),
    ),
  ];
}

function validateAllocated(list: JsonObject, path: FieldPath): StatusCause[] {
  return Object.keys(list).flatMap((name) => {
    const causes = validateResourceKey(name, path);
    return causes.length > 0 ? causes : validateQuantities({ [name]: list[name] ?? '0' }, path);
  });
}

/** A resource of Kubernetes itself can only be the storage. */
function validateResourceKey(name: string, path: FieldPath): StatusCause[] {
  const causes = checkQualifiedName(name).map((detail) => invalid(path, name, detail));
  if (causes.length > 0) return causes;
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return isNative && name !== 'storage' ? [notSupported(path, name, ['storage'])] : [];
}

function validateQuantities(list: JsonObject, path: FieldPath): StatusCause[] {
  return Object.keys(list).flatMap((name) => {
    const units = wholeUnits(textAt(list, name));
    if (units >= 0n) return [];
    return [invalid(keyPath(path, name), units, 'must be a valid resource quantity')];
  });
}
