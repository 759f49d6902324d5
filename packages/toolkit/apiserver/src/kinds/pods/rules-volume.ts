import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain, compareQuantities } from '@keelson/cel/internal';
import type { FieldPath, JsonObject } from '@keelson/structural-schema';
import {
  childPath,
  forbidden,
  invalid,
  isJsonObject,
  keyPath,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { type FieldValidator, type OrderedRules, validName } from '../../schema/validation-rule.ts';
import { validateBlockVolume } from './rules-block-volume.ts';
import { validateBackSteps, validateLocalPath } from './rules-path.ts';
import {
  validateItems,
  validateMode,
  validateProjection,
  validateDownwardFile,
} from './rules-projection.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { validateClaimMetadata } from '../shared/rules-template-metadata.ts';

type SourceRule = (source: JsonObject, path: FieldPath) => StatusCause[];

/** Ordered validation rules of the volumes of a pod. */
export const volumeOrders: OrderedRules = { 'core.v1.Volume': validateVolume };

/** The rules of the sources of a volume, in the order of kube-apiserver. */
const sources: Readonly<Record<string, SourceRule>> = {
  emptyDir: (source, path) =>
    source.sizeLimit !== undefined && compareQuantities(textAt(source, 'sizeLimit'), '0') < 0
      ? [
          forbidden(
            childPath(path, 'sizeLimit'),
            'SizeLimit field must be a valid resource quantity',
          ),
        ]
      : [],
  hostPath: validateHostPath,
  gitRepo: (source, path) => [
    ...needs(source, path, 'repository'),
    ...validateLocalPath(textAt(source, 'directory'), childPath(path, 'directory')),
  ],
  gcePersistentDisk: (source, path) => validateBlockVolume('gcePersistentDisk', source, path),
  awsElasticBlockStore: (source, path) => validateBlockVolume('awsElasticBlockStore', source, path),
  secret: (source, path) => [
    ...needs(source, path, 'secretName'),
    ...validateMode(source, path, 'defaultMode'),
    ...validateItems(source, path),
  ],
  nfs: (source, path) => [
    ...needs(source, path, 'server', 'path'),
    ...(textAt(source, 'path').startsWith('/')
      ? []
      : [invalid(childPath(path, 'path'), textAt(source, 'path'), 'must be an absolute path')]),
  ],
  iscsi: (source, path) => validateBlockVolume('iscsi', source, path),
  glusterfs: (source, path) => needs(source, path, 'endpoints', 'path'),
  flocker: validateFlocker,
  persistentVolumeClaim: (source, path) => needs(source, path, 'claimName'),
  rbd: (source, path) => [...needsList(source, path, 'monitors'), ...needs(source, path, 'image')],
  cinder: (source, path) => [...needs(source, path, 'volumeID'), ...namesSecret(source, path)],
  cephfs: (source, path) => needsList(source, path, 'monitors'),
  quobyte: validateQuobyte,
  downwardAPI: (source, path) => [
    ...validateMode(source, path, 'defaultMode'),
    ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(file, path)),
  ],
  fc: (source, path) => validateBlockVolume('fc', source, path),
  flexVolume: (source, path) => [
    ...needs(source, path, 'driver'),
    ...Object.keys(objectAt(source, 'options'))
      .filter((key) => /(?:^|\.)(?:kubernetes|k8s)\.io$/i.test(key.split('/', 1)[0] ?? ''))
      .map((key) => {
        const detail = 'kubernetes.io and k8s.io namespaces are reserved';
        return invalid(keyPath(childPath(path, 'options'), key), key, detail);
      }),
  ],
  configMap: (source, path) => [
    ...needs(source, path, 'name'),
    ...validateMode(source, path, 'defaultMode'),
    ...validateItems(source, path),
  ],
  azureFile: (source, path) => needs(source, path, 'secretName', 'shareName'),
  vsphereVolume: (source, path) => needs(source, path, 'volumePath'),
  photonPersistentDisk: (source, path) => needs(source, path, 'pdID'),
  portworxVolume: (source, path) => needs(source, path, 'volumeID'),
  azureDisk: (source, path) => validateBlockVolume('azureDisk', source, path),
  storageos: (source, path) => [
    ...needs(source, path, 'volumeName'),
    ...['volumeName', 'volumeNamespace'].flatMap((name) =>
      validName(checkDnsLabel, source[name], childPath(path, name)),
    ),
    ...namesSecret(source, path),
  ],
  projected: validateProjection,
  scaleIO: (source, path) => needs(source, path, 'gateway', 'system', 'volumeName'),
  csi: validateCsi,
  ephemeral: (source, path) => {
    const field = childPath(path, 'volumeClaimTemplate');
    return isJsonObject(source.volumeClaimTemplate)
      ? validateClaimMetadata(
          objectAt(source.volumeClaimTemplate, 'metadata'),
          childPath(field, 'metadata'),
        )
      : [required(field)];
  },
  // The template of a workload may leave it to another writer.
  image: (source, path) =>
    path.startsWith('spec.volumes') ? needs(source, path, 'reference') : [],
};

/** Sources whose fields have another name in errors. */
const ownPaths: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** Sources that have another name in the error about a second source. */
const secondPaths: Readonly<Record<string, string>> = {
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};

function validateVolume(
  volume: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const names = Object.keys(sources).filter((name) => isJsonObject(volume[name]));
  const [first, ...more] = names;
  const name = textAt(volume, 'name');
  return [
    ...(first === undefined ? [] : validateVolumeSource(first, volume, path, fields)),
    ...more.map((other) =>
      forbidden(
        childPath(path, secondPaths[other] ?? other),
        'may not specify more than 1 volume type',
      ),
    ),
    ...(first === undefined ? [required(path, 'must specify a volume type')] : []),
    ...(name === ''
      ? [required(childPath(path, 'name'))]
      : validName(checkDnsLabel, name, childPath(path, 'name'))),
  ];
}

/** Validates a source that pods and PersistentVolumes have, by the name of its member. */
export function validateSource(name: string, source: JsonObject, path: FieldPath): StatusCause[] {
  return sources[name]?.(source, path) ?? [];
}

function validateVolumeSource(
  source: string,
  volume: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
): StatusCause[] {
  const place = childPath(path, ownPaths[source] ?? source);
  return [
    ...validateSource(source, objectAt(volume, source), place),
    // The rules of claims and of pull policies are those of their types.
    ...(source === 'ephemeral' || source === 'image' ? fields.validate(source) : []),
  ];
}

/** Requires a text that is not empty in each field. */
export function needs(
  source: JsonObject,
  path: FieldPath,
  ...fields: readonly string[]
): StatusCause[] {
  return fields
    .filter((field) => textAt(source, field) === '')
    .map((field) => required(childPath(path, field)));
}

function needsList(source: JsonObject, path: FieldPath, field: string): StatusCause[] {
  return textsAt(source, field).length > 0 ? [] : [required(childPath(path, field))];
}

/** Requires a name in a present reference to a Secret. */
function namesSecret(source: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(source.secretRef)) return [];
  return needs(source.secretRef, childPath(path, 'secretRef'), 'name');
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateHostPath(source: JsonObject, path: FieldPath): StatusCause[] {
  const place = childPath(path, 'path');
  if (textAt(source, 'path') === '') return [required(place)];
  const type = textAt(source, 'type');
  return [
    ...validateBackSteps(textAt(source, 'path'), place),
    ...(hostPathTypes.includes(type)
      ? []
      : [notSupported(childPath(path, 'type'), type, hostPathTypes)]),
  ];
}

function validateFlocker(source: JsonObject, path: FieldPath): StatusCause[] {
  const [name, uuid] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...(name === '' && uuid === ''
      ? [required(path, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(name !== '' && uuid !== '' ? [invalid(path, 'resource', both)] : []),
    ...(name.includes('/')
      ? [invalid(childPath(path, 'datasetName'), name, "must not contain '/'")]
      : []),
  ];
}

function validateQuobyte(source: JsonObject, path: FieldPath): StatusCause[] {
  const [registry, tenant] = [textAt(source, 'registry'), textAt(source, 'tenant')];
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const field = childPath(path, 'registry');
  return [
    ...(registry === '' ? [required(field, pairs)] : []),
    ...(registry !== '' && tenant.length >= 65
      ? [
          required(
            childPath(path, 'tenant'),
            'must be a UUID and may not exceed a length of 64 characters',
          ),
        ]
      : []),
    ...(registry !== '' && tenant.length < 65
      ? registry
          .split(',')
          .filter((pair) => !/^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair))
          .map(() => invalid(field, registry, pairs))
      : []),
    ...needs(source, path, 'volume'),
  ];
}

function validateCsi(source: JsonObject, path: FieldPath): StatusCause[] {
  const secret = source.nodePublishSecretRef;
  const secretName = isJsonObject(secret) ? textAt(secret, 'name') : undefined;
  return [
    ...validateDriverName(textAt(source, 'driver'), childPath(path, 'driver')),
    ...(secretName === '' ? [required(childPath(path, 'nodePublishSecretRef.name'))] : []),
    ...validName(checkSubdomain, secretName, childPath(path, 'name')),
  ];
}
