import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  isJsonObject,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';
import { validatePersistentIscsi } from '../pods/rules-block-volume.ts';
import { needs, validateSource } from '../pods/rules-volume.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { validateBackSteps } from '../pods/rules-path.ts';

/** Validates the source of a PersistentVolume: the rules of a volume of a pod, or those that differ from them. */
export function validatePersistentSource(
  name: string,
  source: JsonObject,
  path: FieldPath,
  volumeName: string,
): StatusCause[] {
  switch (name) {
    case 'azureFile':
      return validateAzureFile(source, path);
    case 'cinder':
      return [...needs(source, path, 'volumeID'), ...validateSecret(source, path)];
    case 'csi':
      return validateCsi(source, path);
    case 'glusterfs':
      return validateGlusterfs(source, path);
    case 'iscsi':
      return validatePersistentIscsi(source, path, volumeName);
    case 'local':
      return textAt(source, 'path') === ''
        ? needs(source, path, 'path')
        : validateBackSteps(textAt(source, 'path'), childPath(path, 'path'));
    case 'storageos':
      return validateStorageOs(source, path);
    default:
      return validateSource(name, source, path);
  }
}

function validateAzureFile(source: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...needs(source, path, 'secretName', 'shareName'),
    ...(source.secretNamespace === '' ? [required(childPath(path, 'secretNamespace'))] : []),
  ];
}

/** Requires name and namespace in a present reference to a Secret. */
function validateSecret({ secretRef }: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(secretRef)) return [];
  return needs(secretRef, childPath(path, 'secretRef'), 'name', 'namespace');
}

const secretsOfCsi = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function validateCsi(source: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...validateDriverName(textAt(source, 'driver'), childPath(path, 'driver')),
    ...needs(source, path, 'volumeHandle'),
    ...secretsOfCsi.flatMap((name) => validateSecretOfCsi(source[name], childPath(path, name))),
  ];
}

function validateSecretOfCsi(secret: unknown, path: FieldPath): StatusCause[] {
  if (!isJsonObject(secret)) return [];
  return [
    ...needs(secret, path, 'name'),
    ...validName(checkSubdomain, secret.name, childPath(path, 'name')),
    ...needs(secret, path, 'namespace'),
    ...validName(checkDnsLabel, secret.namespace, childPath(path, 'namespace')),
  ];
}

function validateGlusterfs(source: JsonObject, path: FieldPath): StatusCause[] {
  const { endpointsNamespace: namespace } = source;
  const field = childPath(path, 'endpointsNamespace');
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [
    ...needs(source, path, 'endpoints', 'path'),
    ...(namespace === '' ? [invalid(field, namespace, detail)] : []),
    ...validName(checkDnsLabel, namespace, field),
  ];
}

function validateStorageOs(source: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'volumeName');
  return [
    ...(textAt(source, 'volumeName') === '' ? [required(field)] : []),
    ...validName(checkDnsLabel, source.volumeName, field),
    ...validName(checkDnsLabel, source.volumeNamespace, childPath(path, 'volumeNamespace')),
    ...validateSecret(source, path),
  ];
}
