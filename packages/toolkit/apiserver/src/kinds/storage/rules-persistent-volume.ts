import { posix } from 'node:path';
import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain, compareQuantities } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  isJsonObject,
  type JsonObject,
  keyPath,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { type OrderedRules, validName } from '../../schema/validation-rule.ts';
import { wholeUnits } from '../shared/whole-units.ts';
import { validateAccessModes, validateVolumeMode } from './access-modes.ts';
import { validatePersistentSource } from './rules-persistent-source.ts';

/** Ordered validation rules of PersistentVolumes. */
export const persistentVolumeOrders: OrderedRules = {
  'core.v1.PersistentVolume': (volume, _, fields) =>
    validatePersistentVolume(volume, fields.validate('spec')),
  // The rest of the spec has rules that depend on the name of the volume.
  'core.v1.PersistentVolumeSpec': (_, __, fields) => fields.validate('nodeAffinity'),
  'core.v1.VolumeNodeAffinity': (affinity, path, fields) =>
    isJsonObject(affinity.required)
      ? fields.validate('required')
      : [required(childPath(path, 'required'), 'must specify required node constraints')],
};

const inContext = 'in the context of inline volumes';
const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

/** The sources of a volume, in the order of kube-apiserver. Each is in the path of its errors under this name. */
const sources: Readonly<Record<string, string>> = {
  hostPath: 'hostPath',
  gcePersistentDisk: 'persistentDisk',
  awsElasticBlockStore: 'awsElasticBlockStore',
  glusterfs: 'glusterfs',
  flocker: 'flocker',
  nfs: 'nfs',
  rbd: 'rbd',
  quobyte: 'quobyte',
  cephfs: 'cephfs',
  iscsi: 'iscsi',
  cinder: 'cinder',
  fc: 'fc',
  flexVolume: 'flexVolume',
  azureFile: 'azureFile',
  vsphereVolume: 'vsphereVolume',
  photonPersistentDisk: 'photonPersistentDisk',
  portworxVolume: 'portworxVolume',
  azureDisk: 'azureDisk',
  scaleIO: 'scaleIO',
  local: 'local',
  storageos: 'storageos',
  csi: 'csi',
};

/** The names of the members of a spec that are sources of a volume. */
export const sourceNames: readonly string[] = Object.keys(sources);

function validatePersistentVolume(volume: JsonObject, affinity: StatusCause[]): StatusCause[] {
  const spec = objectAt(volume, 'spec');
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  return [
    ...validateModes(spec, 'spec'),
    ...validateCapacity(spec),
    ...(policy === '' || reclaimPolicies.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies)]),
    ...affinity,
    ...validateSources(spec, 'spec', textAt(objectAt(volume, 'metadata'), 'name')),
    ...validName(checkSubdomain, spec.storageClassName, 'spec.storageClassName'),
    ...validateVolumeMode(spec.volumeMode, 'spec.volumeMode'),
    ...validateClass(spec),
  ];
}

/** Validates the spec of a volume in a VolumeAttachment, which no claim and no class refers to. */
export function validateInlineVolume(spec: JsonObject, path: FieldPath): StatusCause[] {
  const at = (name: string): FieldPath => childPath(path, name);
  const absent = `may not be specified ${inContext}`;
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy', 'Retain');
  return [
    ...(spec.claimRef === undefined ? [] : [forbidden(at('claimRef'), absent)]),
    ...(Object.keys(objectAt(spec, 'capacity')).length === 0
      ? []
      : [forbidden(at('capacity'), absent)]),
    ...(isJsonObject(spec.csi) ? [] : [required(at('csi'), `has to be specified ${inContext}`)]),
    ...validateModes(spec, path),
    ...(policy === 'Retain'
      ? []
      : [forbidden(at('persistentVolumeReclaimPolicy'), `may only be Retain ${inContext}`)]),
    ...(spec.nodeAffinity === undefined ? [] : [forbidden(at('nodeAffinity'), absent)]),
    ...validateSources(spec, path, ''),
    ...(textAt(spec, 'storageClassName') === '' ? [] : [forbidden(at('storageClassName'), absent)]),
    ...((spec.volumeMode ?? 'Filesystem') === 'Filesystem'
      ? []
      : [
          forbidden(
            at('volumeMode'),
            `may not specify volumeMode other than Filesystem ${inContext}`,
          ),
        ]),
  ];
}

/** Rejects the former annotation with mount options on a volume that is not mounted with options. */
export function validateMountOptions(volume: JsonObject): StatusCause[] {
  const annotations = objectAt(objectAt(volume, 'metadata'), 'annotations');
  if (annotations[mountOptions] === undefined) return [];
  const spec = objectAt(volume, 'spec');
  if (mountedWithOptions.some((name) => isJsonObject(spec[name]))) return [];
  const field = `metadata.annotations.${mountOptions}`;
  return [forbidden(field, 'may not specify mount options for this volume type')];
}

const mountedWithOptions = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

function validateModes(spec: JsonObject, path: FieldPath): StatusCause[] {
  const modes = textsAt(spec, 'accessModes');
  const field = childPath(path, 'accessModes');
  return [...(modes.length === 0 ? [required(field)] : []), ...validateAccessModes(modes, field)];
}

function validateCapacity({ capacity }: JsonObject): StatusCause[] {
  const list = isJsonObject(capacity) ? capacity : {};
  const names = Object.keys(list).toSorted();
  const isStorage = names.length === 1 && names[0] === 'storage';
  const shown = capacity && Object.fromEntries(names.map((name) => [name, list[name]]));
  return [
    ...(names.length === 0 ? [required('spec.capacity')] : []),
    ...(isStorage ? [] : [notSupported('spec.capacity', shown, ['storage'])]),
    ...names.flatMap((name) => validateAmount(textAt(list, name), keyPath('spec.capacity', name))),
  ];
}

function validateAmount(quantity: string, path: FieldPath): StatusCause[] {
  const units = wholeUnits(quantity);
  return [
    ...(units < 0n ? [invalid(path, units, 'must be a valid resource quantity')] : []),
    ...(compareQuantities(quantity, '0') > 0
      ? []
      : [invalid(path, quantity, 'must be greater than zero')]),
  ];
}

/** Sources that have another name in the error about a second source. */
const secondNames: Readonly<Record<string, string>> = { cephfs: 'cephFS' };

/** Validates the first source and rejects every other one. kube-apiserver accepts a second one that is a flexVolume. */
function validateSources(spec: JsonObject, path: FieldPath, volumeName: string): StatusCause[] {
  const names = sourceNames.filter((name) => isJsonObject(spec[name]));
  if (names.length === 0) return [required(path, 'must specify a volume type')];
  return [
    ...names.flatMap((name, index) =>
      index === 0 || name === 'flexVolume'
        ? validateSourceOf(name, spec, path, volumeName)
        : [
            forbidden(
              childPath(path, secondNames[name] ?? name),
              'may not specify more than 1 volume type',
            ),
          ],
    ),
    ...validateRecycling(spec, path),
  ];
}

function validateSourceOf(
  name: string,
  spec: JsonObject,
  path: FieldPath,
  volumeName: string,
): StatusCause[] {
  const place = childPath(path, sources[name] ?? name);
  const causes = validatePersistentSource(name, objectAt(spec, name), place, volumeName);
  if (name !== 'local' || isJsonObject(spec.nodeAffinity)) return causes;
  return [
    ...causes,
    required(childPath(path, 'nodeAffinity'), 'Local volume requires node affinity'),
  ];
}

function validateRecycling(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { hostPath, persistentVolumeReclaimPolicy: policy } = spec;
  if (!isJsonObject(hostPath) || policy !== 'Recycle') return [];
  if (!isRoot(textAt(hostPath, 'path'))) return [];
  const field = childPath(path, 'persistentVolumeReclaimPolicy');
  return [forbidden(field, "may not be 'recycle' for a hostPath mount of '/'")];
}

function isRoot(path: string): boolean {
  return path.startsWith('/') && posix.normalize(path).replace(/\/$/, '') === '';
}

function validateClass(spec: JsonObject): StatusCause[] {
  const { volumeAttributesClassName: name } = spec;
  if (name === undefined) return [];
  const field = 'spec.volumeAttributesClassName';
  return [
    ...(name === '' ? [required(field, 'an empty string is disallowed')] : []),
    ...validName(checkSubdomain, name, field),
    ...(isJsonObject(spec.csi)
      ? []
      : [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]),
  ];
}
