import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  isNumeric,
  jsonEquals,
  type JsonObject,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { presentName } from '../../schema/validation-rule.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { shownStruct } from '../shared/shown-struct.ts';
import { validateInlineVolume } from './rules-persistent-volume.ts';

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
    return validateInlineVolume(
      objectAt(source, 'inlineVolumeSpec'),
      childPath(path, 'inlineVolumeSpec'),
    );
  }
  if (name !== '') return [];
  const detail = 'must specify non empty persistentVolumeName';
  return [required(childPath(path, 'persistentVolumeName'), detail)];
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
