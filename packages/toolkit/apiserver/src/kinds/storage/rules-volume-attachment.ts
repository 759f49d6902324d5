import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  isNumeric,
  jsonEquals,
  type JsonObject,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { presentName, validName } from '../../schema/validation-rule.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { shownStruct } from '../shared/shown-struct.ts';

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const oneSource = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

/** Validates a VolumeAttachment except its metadata. */
export function validateVolumeAttachment(attachment: JsonObject): StatusCause[] {
  const spec = objectAt(attachment, 'spec');
  const source = objectAt(spec, 'source');
  const node = textAt(spec, 'nodeName');
  return [
    ...validateDriverName(textAt(spec, 'attacher'), 'spec.attacher'),
    ...validateSource(source, 'spec.source'),
    ...checkSubdomain(node).map((detail) => invalid('spec.nodeName', node, detail)),
    ...validateStatus(objectAt(attachment, 'status'), 'status'),
    ...presentName(checkSubdomain, source.persistentVolumeName, 'spec.source.persistentVolumeName'),
  ];
}

/** The spec of a VolumeAttachment never changes. */
export function validateVolumeAttachmentChange(next: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(next.spec, old.spec)) return [];
  const type = builtinStruct('storage.v1.VolumeAttachmentSpec');
  return [invalid('spec', shownStruct(type, objectAt(next, 'spec')), 'field is immutable')];
}

function validateSource(source: JsonObject, path: FieldPath): StatusCause[] {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  if (inline === undefined && name === undefined) return [required(path, oneSource)];
  if (inline !== undefined && name !== undefined) return [forbidden(path, oneSource)];
  if (inline !== undefined) {
    return validateInline(
      objectAt(source, 'inlineVolumeSpec'),
      childPath(path, 'inlineVolumeSpec'),
    );
  }
  if (name !== '') return [];
  const detail = 'must specify non empty persistentVolumeName';
  return [required(childPath(path, 'persistentVolumeName'), detail)];
}

/** The parts of a PersistentVolume that a volume without one cannot have. */
function validateInline(volume: JsonObject, path: FieldPath): StatusCause[] {
  const context = 'in the context of inline volumes';
  const never = (name: string): StatusCause[] =>
    volume[name] === undefined
      ? []
      : [forbidden(childPath(path, name), `may not be specified ${context}`)];
  const only = (name: string, value: string, words: string): StatusCause[] =>
    (volume[name] ?? value) === value
      ? []
      : [forbidden(childPath(path, name), `${words} ${value} ${context}`)];
  return [
    ...never('claimRef'),
    ...never('capacity'),
    ...(volume.csi === undefined
      ? [required(childPath(path, 'csi'), `has to be specified ${context}`)]
      : []),
    ...validateAccessModes(textsAt(volume, 'accessModes'), childPath(path, 'accessModes')),
    ...only('persistentVolumeReclaimPolicy', 'Retain', 'may only be'),
    ...never('nodeAffinity'),
    ...(volume.csi === undefined
      ? [required(path, 'must specify a volume type')]
      : validateCsi(objectAt(volume, 'csi'), childPath(path, 'csi'))),
    ...never('storageClassName'),
    ...only('volumeMode', 'Filesystem', 'may not specify volumeMode other than'),
  ];
}

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function validateAccessModes(modes: readonly string[], path: FieldPath): StatusCause[] {
  const known = new Set(modes.filter((mode) => accessModes.includes(mode)));
  const alone = 'may not use ReadWriteOncePod with other access modes';
  return [
    ...(modes.length === 0 ? [required(path)] : []),
    ...modes
      .filter((mode) => !accessModes.includes(mode))
      .map((mode) => notSupported(path, mode, accessModes)),
    ...(known.has('ReadWriteOncePod') && known.size > 1 ? [forbidden(path, alone)] : []),
  ];
}

const secretReferences = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function validateCsi(csi: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...validateDriverName(textAt(csi, 'driver'), childPath(path, 'driver')),
    ...(textAt(csi, 'volumeHandle') === '' ? [required(childPath(path, 'volumeHandle'))] : []),
    ...secretReferences.flatMap((name) =>
      csi[name] === undefined ? [] : validateSecret(objectAt(csi, name), childPath(path, name)),
    ),
  ];
}

function validateSecret(reference: JsonObject, path: FieldPath): StatusCause[] {
  const checks = { name: checkSubdomain, namespace: checkDnsLabel };
  return Object.entries(checks).flatMap(([name, check]) =>
    textAt(reference, name) === ''
      ? [required(childPath(path, name))]
      : validName(check, reference[name], childPath(path, name)),
  );
}

function validateStatus(status: JsonObject, path: FieldPath): StatusCause[] {
  const metadata = objectAt(status, 'attachmentMetadata');
  const texts = Object.keys(metadata).flatMap((key) => [key, textAt(metadata, key)]);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return [
    ...(bytes > MAX_METADATA_BYTES
      ? [tooLong(childPath(path, 'attachmentMetadata'), MAX_METADATA_BYTES)]
      : []),
    ...['attachError', 'detachError'].flatMap((name) =>
      validateError(objectAt(status, name), childPath(path, name)),
    ),
  ];
}

function validateError(error: JsonObject, path: FieldPath): StatusCause[] {
  const code = error.errorCode;
  const detail = 'must be between 0 and 2147483647, inclusive';
  return [
    // kube-apiserver states the limit of another field.
    ...(Buffer.byteLength(textAt(error, 'message')) > MAX_MESSAGE_BYTES
      ? [tooLong(childPath(path, 'message'), MAX_METADATA_BYTES)]
      : []),
    ...(isNumeric(code) && code < 0 ? [invalid(childPath(path, 'errorCode'), code, detail)] : []),
  ];
}
