import type {
  KubernetesObject,
  ObjectMeta,
  OwnerReference,
  StatusCause,
} from '@keelson/apimachinery';
import {
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
  type NameCheck,
} from '@keelson/cel/internal';
import { forbidden, invalid, required, tooLong } from './field-error.ts';
import { indexPath } from './field-path.ts';

/** Finalizers of the server itself. */
export const standardFinalizers: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);

/** The most bytes that keys and values of the annotations may have together. */
const mostAnnotationBytes = 256 * 1024;

/** The causes for which the metadata of an object is refused; `checkName` is what its kind allows as a name. */
export function validateMetadata(
  object: KubernetesObject,
  checkName: NameCheck = checkSubdomain,
): StatusCause[] {
  return validateCommon(object.metadata ?? {}, checkName);
}

/**
 * The causes for which the metadata of an update is refused. kube-apiserver judges it for every kind and then lets the
 * kind judge it again, so causes come twice; clients count them.
 */
export function validateMetadataChange(
  object: KubernetesObject,
  old: KubernetesObject,
): StatusCause[] {
  const { metadata = {} } = object;
  const change = validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change, ...change];
}

/** The causes for which a kind refuses the metadata of an update, beside those of every kind. */
export function validateKindMetadataChange(
  object: KubernetesObject,
  old: KubernetesObject,
): StatusCause[] {
  return validateChange(object.metadata ?? {}, old.metadata ?? {});
}

/** The causes for which the metadata of any kind is refused, where the kind itself does not look at it. */
export function validateCommonMetadata(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): StatusCause[] {
  const { metadata = {} } = object;
  const change = old === undefined ? [] : validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change];
}

/** What is asked of the metadata of every kind. */
function validateCommon(metadata: ObjectMeta, checkName: NameCheck): StatusCause[] {
  const finalizers = (metadata.finalizers ?? []).flatMap((name) =>
    checkQualifiedName(name).map((detail) => invalid('metadata.finalizers', name, detail)),
  );
  return [
    ...validateNames(metadata, checkName),
    ...validateMaps(metadata),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...finalizers,
  ];
}

/** The causes for which a map of labels is refused. */
export function validateLabels(labels: Record<string, string>, field: string): StatusCause[] {
  return Object.entries(labels)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([key, value]) => [
      ...checkQualifiedName(key).map((detail) => invalid(field, key, detail)),
      ...checkLabelValue(value).map((detail) => invalid(field, value, detail)),
    ]);
}

function validateNames(metadata: ObjectMeta, checkName: NameCheck): StatusCause[] {
  const { name = '', generateName = '' } = metadata;
  const causes = generateName === '' ? [] : validateGenerateName(generateName, checkName);
  if (name === '')
    return [...causes, required('metadata.name', 'name or generateName is required')];
  return [...causes, ...checkName(name).map((detail) => invalid('metadata.name', name, detail))];
}

function validateGenerateName(generateName: string, checkName: NameCheck): StatusCause[] {
  // The server appends letters, so a dash at the end is fine.
  const likely = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
  return checkName(likely).map((detail) => invalid('metadata.generateName', generateName, detail));
}

function validateMaps(metadata: ObjectMeta): StatusCause[] {
  const annotations = Object.keys(metadata.annotations ?? {}).flatMap((key) =>
    checkQualifiedName(key.toLowerCase()).map((detail) =>
      invalid('metadata.annotations', key, detail),
    ),
  );
  const bytes = Object.entries(metadata.annotations ?? {})
    .flat()
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const size =
    bytes > mostAnnotationBytes ? [tooLong('metadata.annotations', mostAnnotationBytes)] : [];
  return [...validateLabels(metadata.labels ?? {}, 'metadata.labels'), ...annotations, ...size];
}

/**
 * A finalizer that is not one of the server's own says whose it is. Only the kinds of Kubernetes itself ask for that:
 * not custom ones, nor the definitions of these.
 */
export function validateFinalizers({ finalizers = [] }: ObjectMeta): StatusCause[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [invalid(indexPath('metadata.finalizers', index), name, detail)],
  );
}

function validateOwners(owners: readonly OwnerReference[]): StatusCause[] {
  const field = 'metadata.ownerReferences';
  const causes = owners.flatMap((owner) => validateOwner(owner, field));
  const controllers = owners.filter((owner) => owner.controller === true);
  if (controllers.length < 2) return causes;
  const names = controllers.map((owner) => `${owner.kind}/${owner.name}`);
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names[0]} and ${names[1]}`;
  return [...causes, invalid(field, owners, detail)];
}

function validateOwner(owner: OwnerReference, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner as Partial<OwnerReference>;
  if (apiVersion === '') {
    causes.push(invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  for (const [part, value] of Object.entries({ kind, name, uid })) {
    if (value === '') causes.push(invalid(`${field}.${part}`, value, 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    causes.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return causes;
}

/** What an update may not change, and what of the metadata is judged along with it. */
function validateChange(metadata: ObjectMeta, old: ObjectMeta): StatusCause[] {
  const changed = immutable.filter((key) => metadata[key] !== old[key]);
  return [
    ...validateNewFinalizers(metadata, old),
    ...changed.map((key) => invalid(`metadata.${key}`, metadata[key], 'field is immutable')),
    ...validateMaps(metadata),
    ...validateOwners(metadata.ownerReferences ?? []),
  ];
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** An object that is being deleted is not held by anybody new. */
function validateNewFinalizers(metadata: ObjectMeta, old: ObjectMeta): StatusCause[] {
  if (old.deletionTimestamp === undefined) return [];
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden('metadata.finalizers', detail)];
}
