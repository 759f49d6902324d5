import type { StatusCause } from '@keelson/apimachinery';
import { compareQuantities } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, textsAt } from '../../json/json-members.ts';
import type { ValidationRules } from '../../schema/validation-rule.ts';

/** The fields of a volume besides its source. */
const volumeSettings = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** Validation rules of PersistentVolumeClaims and PersistentVolumes. */
export const storageRules: ValidationRules = {
  'core.v1.PersistentVolumeClaimSpec': (spec, path) => [
    ...validateAccessModes(textsAt(spec, 'accessModes'), childPath(path, 'accessModes')),
    ...validateStorage(spec, childPath(path, 'resources[storage]')),
  ],
  'core.v1.PersistentVolumeSpec': (spec, path) => [
    ...['accessModes', 'capacity']
      .filter((field) => spec[field] === undefined)
      .map((field) => required(childPath(path, field))),
    ...(objectAt(spec, 'capacity').storage === undefined
      ? [notSupported(childPath(path, 'capacity'), spec.capacity, ['storage'])]
      : []),
    ...(Object.keys(spec).some((key) => !volumeSettings.has(key))
      ? []
      : [required(path, 'must specify a volume type')]),
  ],
};

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function validateAccessModes(modes: readonly string[], path: FieldPath): StatusCause[] {
  const isMixed = modes.includes('ReadWriteOncePod');
  const alone = 'may not use ReadWriteOncePod with other access modes';
  const unknown = modes.filter((mode) => !accessModes.includes(mode));
  const known = modes.filter((mode) => accessModes.includes(mode));
  return [
    ...(modes.length === 0 ? [required(path, 'at least 1 access mode is required')] : []),
    ...unknown.map((mode) => notSupported(path, mode, accessModes)),
    ...(isMixed && new Set(known).size > 1 ? [forbidden(path, alone)] : []),
  ];
}

function validateStorage(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { storage } = objectAt(objectAt(spec, 'resources'), 'requests');
  if (storage === undefined) return [required(path)];
  if (typeof storage !== 'string' || compareQuantities(storage, '0') > 0) return [];
  return [invalid(path, storage, 'must be greater than zero')];
}
