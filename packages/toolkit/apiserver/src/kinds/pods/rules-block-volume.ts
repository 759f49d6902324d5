import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import {
  childPath,
  invalid,
  isJsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { textAt, textsAt } from '../../json/json-members.ts';

type Disk = 'gcePersistentDisk' | 'awsElasticBlockStore' | 'azureDisk' | 'iscsi' | 'fc';

/** Validates the source of a volume that is a disk, or a disk in a storage network. */
export function validateBlockVolume(
  disk: Disk,
  source: JsonObject,
  path: FieldPath,
): StatusCause[] {
  switch (disk) {
    case 'gcePersistentDisk':
      return [...needs(source, path, 'pdName'), ...validatePartition(source, path)];
    case 'awsElasticBlockStore':
      return [...needs(source, path, 'volumeID'), ...validatePartition(source, path)];
    case 'azureDisk':
      return validateAzureDisk(source, path);
    case 'iscsi':
      return validateIscsi(source, path);
    case 'fc':
      return validateFibreChannel(source, path);
  }
}

function needs(source: JsonObject, path: FieldPath, field: string): StatusCause[] {
  return textAt(source, field) === '' ? [required(childPath(path, field))] : [];
}

function validatePartition({ partition = 0 }: JsonObject, path: FieldPath): StatusCause[] {
  if (Number(partition) >= 0 && Number(partition) <= 255) return [];
  return [invalid(childPath(path, 'partition'), partition, 'must be between 1 and 255, inclusive')];
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
const diskKinds = ['Dedicated', 'Managed', 'Shared'];
const managedUri =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function validateAzureDisk(source: JsonObject, path: FieldPath): StatusCause[] {
  const [mode, kind] = [
    textAt(source, 'cachingMode', 'ReadWrite'),
    textAt(source, 'kind', 'Shared'),
  ];
  const uri = textAt(source, 'diskURI');
  const field = childPath(path, 'diskURI');
  const isManaged = kind === 'Managed';
  const isRight = uri.startsWith(isManaged ? '/subscriptions/' : 'https://');
  return [
    ...needs(source, path, 'diskName'),
    ...needs(source, path, 'diskURI'),
    ...(cachingModes.includes(mode)
      ? []
      : [notSupported(childPath(path, 'cachingMode'), mode, cachingModes)]),
    ...(diskKinds.includes(kind) ? [] : [notSupported(childPath(path, 'kind'), kind, diskKinds)]),
    ...(isRight ? [] : [notSupported(field, uri, [isManaged ? managedUri : blobUri])]),
  ];
}

/** The forms of the names of iSCSI initiators and targets, by their prefixes. */
const initiatorNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[a-z0-9\-.]+:[^,;*&$|\t\n\f\r ]+$/i,
  eui: /^eui.[a-z0-9]{16}$/i,
  naa: /^naa.[a-z0-9]{32}$/i,
};

function validateIscsi(source: JsonObject, path: FieldPath): StatusCause[] {
  const { initiatorName } = source;
  const unknown = 'must be valid format starting with iqn, eui, or naa';
  return [
    ...needs(source, path, 'targetPortal'),
    ...validateTarget(source, path, unknown),
    ...(initiatorName === undefined ? [] : validateInitiatorName(source, path, unknown)),
  ];
}

/** The longest name of a volume with its portal, if the volume has a name of the initiator. */
const MAX_PORTAL_LENGTH = 64;

/** Validates a disk of a PersistentVolume, whose rules differ from those of a volume of a pod. */
export function validatePersistentIscsi(
  source: JsonObject,
  path: FieldPath,
  volumeName: string,
): StatusCause[] {
  const { initiatorName, secretRef } = source;
  const portal = textAt(source, 'targetPortal');
  const isLong =
    initiatorName !== undefined && `${volumeName}:${portal}`.length > MAX_PORTAL_LENGTH;
  const detail =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  const unknown = 'must be valid format';
  return [
    ...needs(source, path, 'targetPortal'),
    ...(isLong ? [invalid(childPath(path, 'targetportal'), portal, detail)] : []),
    ...validateTarget(source, path, unknown),
    ...(isJsonObject(secretRef) ? needs(secretRef, childPath(path, 'secretRef'), 'name') : []),
    ...(initiatorName === undefined ? [] : validateInitiatorName(source, path, unknown)),
  ];
}

/** Validates the name of the target, the number of the disk and the presence of the secret. */
function validateTarget(source: JsonObject, path: FieldPath, unknown: string): StatusCause[] {
  const { lun = 0, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  const iqn = childPath(path, 'iqn');
  const needsSecret = chapAuthDiscovery === true || chapAuthSession === true;
  return [
    ...(textAt(source, 'iqn') === ''
      ? [required(iqn)]
      : validateInitiator(textAt(source, 'iqn'), iqn, unknown)),
    ...validateLun(lun, path),
    ...(needsSecret && !isJsonObject(secretRef) ? [required(childPath(path, 'secretRef'))] : []),
  ];
}

function validateInitiatorName(
  source: JsonObject,
  path: FieldPath,
  unknown: string,
): StatusCause[] {
  const name = textAt(source, 'initiatorName');
  return validateInitiator(name, childPath(path, 'initiatorname'), unknown);
}

/** Validates the name of a target or an initiator; `unknown` is the error of a name with another prefix. */
function validateInitiator(name: string, path: FieldPath, unknown: string): StatusCause[] {
  const form = initiatorNames[name.slice(0, 3)];
  if (form === undefined) return [invalid(path, name, unknown)];
  return form.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

function validateLun(lun: unknown, path: FieldPath): StatusCause[] {
  if (Number(lun) >= 0 && Number(lun) <= 255) return [];
  return [invalid(childPath(path, 'lun'), lun, 'must be between 0 and 255, inclusive')];
}

function validateFibreChannel(source: JsonObject, path: FieldPath): StatusCause[] {
  const [names, ids] = [textsAt(source, 'targetWWNs'), textsAt(source, 'wwids')];
  const field = childPath(path, 'targetWWNs');
  const both = 'targetWWNs and wwids can not be specified simultaneously';
  const hasNames = names.length > 0;
  return [
    ...(hasNames || ids.length > 0
      ? []
      : [required(field, 'must specify either targetWWNs or wwids, but not both')]),
    ...(hasNames && ids.length > 0 ? [invalid(field, names, both)] : []),
    ...(hasNames && source.lun === undefined
      ? [required(childPath(path, 'lun'), 'lun is required if targetWWNs is specified')]
      : []),
    ...(hasNames && source.lun !== undefined ? validateLun(source.lun, path) : []),
  ];
}
