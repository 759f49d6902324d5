import type {
  KubernetesObject,
  ObjectMeta,
  OwnerReference,
  StatusCause,
} from '@keelson/apimachinery';
import { invalid, required } from './field-error.ts';
import { indexPath } from './field-path.ts';
import {
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  type NameCheck,
} from './name-syntax.ts';

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** The causes for which the metadata of an object is refused; `checkName` is what its kind allows as a name. */
export function validateMetadata(
  object: KubernetesObject,
  old?: KubernetesObject,
  checkName: NameCheck = checkSubdomain,
): StatusCause[] {
  const metadata = object.metadata ?? {};
  return [
    ...validateNames(metadata, checkName),
    ...validateMaps(metadata),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...validateFinalizers(metadata.finalizers ?? []),
    ...(old === undefined ? [] : validateChange(metadata, old.metadata ?? {})),
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
  return [...validateLabels(metadata.labels ?? {}, 'metadata.labels'), ...annotations];
}

function validateFinalizers(finalizers: readonly string[]): StatusCause[] {
  return finalizers.flatMap((name, index) => {
    const causes = checkQualifiedName(name).map((detail) =>
      invalid('metadata.finalizers', name, detail),
    );
    if (name.includes('/') || standardFinalizers.has(name)) return causes;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [...causes, invalid(indexPath('metadata.finalizers', index), name, detail)];
  });
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

/** What an update may not change. */
function validateChange(metadata: ObjectMeta, old: ObjectMeta): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const key of ['name', 'namespace', 'uid', 'creationTimestamp', 'generateName'] as const) {
    const value = metadata[key];
    if (value !== undefined && value !== old[key] && key !== 'generateName') {
      causes.push(invalid(`metadata.${key}`, value, 'field is immutable'));
    }
  }
  return causes;
}
