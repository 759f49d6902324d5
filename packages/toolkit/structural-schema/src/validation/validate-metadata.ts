import type {
  KubernetesObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  StatusCause,
} from '@keelson/apimachinery';
import {
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
  checkDnsLabel,
  type NameCheck,
  goLower,
} from '@keelson/cel/internal';
import { forbidden, invalid, required, tooLong } from './field-error.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';

/** Finalizers that Kubernetes defines. */
export const standardFinalizers: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);

/** Most bytes of all annotation keys and values together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Returns the causes for invalid metadata; `checkName` is the rule of the kind for names. */
export function validateMetadata(
  object: KubernetesObject,
  checkName: NameCheck = checkSubdomain,
): StatusCause[] {
  return validateCommon(object.metadata ?? {}, checkName);
}

/**
 * Returns the causes for an invalid update of metadata. kube-apiserver validates it once for every kind and once per
 * kind, so causes occur twice.
 */
export function validateMetadataChange(
  object: KubernetesObject,
  old: KubernetesObject,
): StatusCause[] {
  const { metadata = {} } = object;
  const change = validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change, ...change];
}

/** Returns the causes that the kind's own validation adds for an update of metadata. */
export function validateKindMetadataChange(
  object: KubernetesObject,
  old: KubernetesObject,
): StatusCause[] {
  return validateChange(object.metadata ?? {}, old.metadata ?? {});
}

/** Returns the causes for the metadata of a kind without its own metadata validation. */
export function validateCommonMetadata(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
): StatusCause[] {
  const { metadata = {} } = object;
  const change = old === undefined ? [] : validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change];
}

/** Returns the causes that `validateCommonMetadata` adds for a new object whose kind has found its metadata valid. */
export function validateCommonNames({ metadata = {} }: KubernetesObject): StatusCause[] {
  return validateNames(metadata, checkPathSegment);
}

/** Returns the causes for metadata that is invalid in every kind. */
function validateCommon(metadata: ObjectMeta, checkName: NameCheck): StatusCause[] {
  const causes = validateNames(metadata, checkName);
  causes.push(...validateMaps(metadata), ...validateOwners(metadata.ownerReferences ?? []));
  causes.push(...validateFinalizerNames(metadata.finalizers ?? []));
  return causes;
}

/** The garbage collector finalizes an object by one policy only. */
function validateFinalizerNames(finalizers: readonly string[]): StatusCause[] {
  const field = 'metadata.finalizers';
  const causes = finalizers.flatMap((name) =>
    checkQualifiedName(name).map((detail) => invalid(field, name, detail)),
  );
  if (!['orphan', 'foregroundDeletion'].every((name) => finalizers.includes(name))) return causes;
  const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [...causes, invalid(field, finalizers, detail)];
}

/**
 * Returns the causes for the metadata of an object within another one. The server sets the namespace, the generation
 * and the managed fields of other objects itself.
 */
export function validateInnerMetadata(metadata: ObjectMeta): StatusCause[] {
  const { namespace = '', generation = 0, managedFields = [] } = metadata;
  const inNamespace = namespace === '' ? [] : checkDnsLabel(namespace);
  return [
    ...validateCommon({ ...metadata, name: metadata.name || 'fakename' }, checkPathSegment),
    ...inNamespace.map((detail) => invalid('metadata.namespace', namespace, detail)),
    ...(generation < 0
      ? [invalid('metadata.generation', generation, 'must be greater than or equal to 0')]
      : []),
    ...managedFields.flatMap((entry, index) =>
      validateManager(entry, indexPath('metadata.managedFields', index)),
    ),
  ];
}

/** Longest name of a field manager, and of a subresource, in bytes. */
const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;

function validateManager(entry: ManagedFieldsEntry, path: FieldPath): StatusCause[] {
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
  const isKnown = operation === 'Apply' || operation === 'Update';
  return [
    ...(isKnown
      ? []
      : [invalid(childPath(path, 'operation'), operation, 'must be `Apply` or `Update`')]),
    ...(fieldsType === '' || fieldsType === 'FieldsV1'
      ? []
      : [invalid(childPath(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`')]),
    ...validateManagerName(manager, childPath(path, 'manager')),
    ...(Buffer.byteLength(subresource) > MAX_SUBRESOURCE_BYTES
      ? [tooLong(childPath(path, 'subresource'), MAX_SUBRESOURCE_BYTES)]
      : []),
  ];
}

function validateManagerName(manager: string, path: FieldPath): StatusCause[] {
  const unprintable = [...manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)];
  return [
    ...(Buffer.byteLength(manager) > MAX_MANAGER_BYTES ? [tooLong(path, MAX_MANAGER_BYTES)] : []),
    ...unprintable.map(({ 0: sign, index }) => {
      const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      const position = Buffer.byteLength(manager.slice(0, index));
      return invalid(path, manager, `invalid character U+${code} (at position ${position})`);
    }),
  ];
}

/** Returns the causes for invalid labels. */
export function validateLabels(labels: Record<string, string>, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const sorted = Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [key, value] of sorted) {
    for (const detail of checkQualifiedName(key)) causes.push(invalid(field, key, detail));
    for (const detail of checkLabelValue(value)) causes.push(invalid(field, value, detail));
  }
  return causes;
}

function validateNames(metadata: ObjectMeta, checkName: NameCheck): StatusCause[] {
  const { name = '', generateName = '' } = metadata;
  const causes = generateName === '' ? [] : validateGenerateName(generateName, checkName);
  if (name === '')
    return [...causes, required('metadata.name', 'name or generateName is required')];
  return [...causes, ...checkName(name).map((detail) => invalid('metadata.name', name, detail))];
}

function validateGenerateName(generateName: string, checkName: NameCheck): StatusCause[] {
  // The server appends letters, so a trailing dash is valid.
  const likely = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
  return checkName(likely).map((detail) => invalid('metadata.generateName', generateName, detail));
}

function validateMaps(metadata: ObjectMeta): StatusCause[] {
  const { labels, annotations } = metadata;
  return [
    ...(labels ? validateLabels(labels, 'metadata.labels') : []),
    ...(annotations ? validateAnnotations(annotations) : []),
  ];
}

function validateAnnotations(annotations: Record<string, string>): StatusCause[] {
  const keys = Object.keys(annotations).flatMap((key) =>
    checkQualifiedName(goLower(key)).map((detail) => invalid('metadata.annotations', key, detail)),
  );
  const bytes = Object.entries(annotations)
    .flat()
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const size =
    bytes > MAX_ANNOTATION_BYTES ? [tooLong('metadata.annotations', MAX_ANNOTATION_BYTES)] : [];
  return [...keys, ...size];
}

/**
 * Requires a domain prefix for finalizers other than the standard ones. Applies to built-in kinds except definitions.
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
  if (owners.length === 0) return [];
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
  if (!hasVersion(apiVersion)) {
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

/** True for `version` and `group/version`. Go reads a text of more parts as one without a version. */
function hasVersion(apiVersion: string): boolean {
  const [version = '', ...more] = apiVersion.split('/').toReversed();
  return version !== '' && more.length < 2;
}

/** Returns the causes for changed immutable fields, and for the metadata that is validated with them. */
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

/** An object that is being deleted accepts no new finalizers. */
function validateNewFinalizers(metadata: ObjectMeta, old: ObjectMeta): StatusCause[] {
  if (old.deletionTimestamp === undefined) return [];
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden('metadata.finalizers', detail)];
}
