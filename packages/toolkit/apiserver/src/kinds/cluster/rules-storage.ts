import { objectAt } from '../../json/json-members.ts';
import { childPath, notSupported, required } from '@keelson/structural-schema';
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
    ...(Array.isArray(spec.accessModes) && spec.accessModes.length > 0
      ? []
      : [required(childPath(path, 'accessModes'), 'at least 1 access mode is required')]),
    ...(objectAt(objectAt(spec, 'resources'), 'requests').storage === undefined
      ? [required(childPath(path, 'resources[storage]'))]
      : []),
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
