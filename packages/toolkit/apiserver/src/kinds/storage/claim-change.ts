import type { StatusCause } from '@keelson/apimachinery';
import { compareQuantities } from '@keelson/cel/internal';
import { forbidden, invalid, jsonEquals, type JsonObject } from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { without } from '../../schema/validation-rule.ts';

/** The annotation that named the class of a volume or claim before the member `storageClassName`. */
export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Validates an update of a PersistentVolumeClaim. */
export function validateClaimChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const [next, former] = comparedSpecs(object, old);
  return [
    ...(isMovedFromAnnotation(object, old) ? [] : validateAnnotation(object, old)),
    ...(jsonEquals(next, former) ? [] : [forbidden('spec', immutable)]),
    ...rejectShrunkClaim(object, old),
    ...(spec.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', spec.volumeMode, 'field is immutable')]),
    ...validateClassChange(spec, before, objectAt(old, 'status')),
  ];
}

const immutable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/**
 * The parts of two specs that must be equal. A claim without a volume or without a class may get one, and a bound claim
 * may request more.
 */
function comparedSpecs(object: JsonObject, old: JsonObject): readonly [JsonObject, JsonObject] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const isBound = objectAt(object, 'status').phase === 'Bound';
  const changeable = [
    ...(textAt(before, 'volumeName') === '' ? ['volumeName'] : []),
    ...(mayGetClass(object, old) ? ['storageClassName'] : []),
    ...(isBound ? ['volumeAttributesClassName'] : []),
  ];
  const compared = without(spec, ...changeable);
  if (isBound && compared.resources !== undefined) {
    compared.resources = withFormerRequest(objectAt(spec, 'resources'), claimSize(old));
  }
  return [compared, without(before, ...changeable)];
}

function withFormerRequest(resources: JsonObject, storage: string): JsonObject {
  if (resources.requests === undefined) return resources;
  return { ...resources, requests: { ...objectAt(resources, 'requests'), storage } };
}

function annotationOf(claim: JsonObject): string | undefined {
  const value = objectAt(objectAt(claim, 'metadata'), 'annotations')[classAnnotation];
  return typeof value === 'string' ? value : undefined;
}

/** True if the update sets the class that the annotation names. */
function isMovedFromAnnotation(object: JsonObject, old: JsonObject): boolean {
  const [next, former] = [annotationOf(object), annotationOf(old)];
  return (
    former !== undefined &&
    objectAt(old, 'spec').storageClassName === undefined &&
    objectAt(object, 'spec').storageClassName === former &&
    (next === undefined || next === former)
  );
}

function mayGetClass(object: JsonObject, old: JsonObject): boolean {
  const { storageClassName: next } = objectAt(object, 'spec');
  const former = annotationOf(old);
  if (next === undefined || objectAt(old, 'spec').storageClassName !== undefined) return false;
  return former === undefined || next === former;
}

function validateAnnotation(object: JsonObject, old: JsonObject): StatusCause[] {
  const value = annotationOf(object) ?? '';
  if (value === (annotationOf(old) ?? '')) return [];
  return [invalid(`metadata.annotations.${classAnnotation}`, value, 'field is immutable')];
}

/** Rejects a decreased request that is not above the capacity of the volume. A failed expansion may be reduced. */
function rejectShrunkClaim(object: JsonObject, old: JsonObject): StatusCause[] {
  const capacity = textAt(objectAt(objectAt(old, 'status'), 'capacity'), 'storage');
  if (compareQuantities(claimSize(object), claimSize(old)) >= 0) return [];
  if (compareQuantities(claimSize(object), capacity) > 0) return [];
  const path = 'spec.resources.requests.storage';
  return [forbidden(path, 'field can not be less than status.capacity')];
}

function claimSize(claim: JsonObject): string {
  return textAt(objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests'), 'storage');
}

/** A class that is in effect cannot be removed. */
function validateClassChange(
  spec: JsonObject,
  before: JsonObject,
  status: JsonObject,
): StatusCause[] {
  const { volumeAttributesClassName: name } = spec;
  if (name === before.volumeAttributesClassName) return [];
  if (status.currentVolumeAttributesClassName === undefined) return [];
  if (name !== undefined && name !== '') return [];
  const value = name === undefined ? 'nil' : 'empty string';
  const detail = `update to ${value} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden('spec.volumeAttributesClassName', detail)];
}
