import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  type JsonValue,
  required,
} from '@keelson/structural-schema';

/** Validates the names of a CustomResourceDefinition. */
export function validateDefinitionNames(names: JsonObject, path: FieldPath): StatusCause[] {
  const causes = [
    ...validateName(names, 'plural', path),
    ...validateName(names, 'singular', path),
    ...validateName(names, 'kind', path),
    ...validateName(names, 'listKind', path),
    ...lists.flatMap((name) => validateNames(names[name], childPath(path, name))),
  ];
  const kind = textAt(names, 'kind');
  if (kind === '' || kind !== textAt(names, 'listKind')) return causes;
  const detail = 'kind and listKind may not be the same';
  return [...causes, invalid(childPath(path, 'listKind'), kind, detail)];
}

const lists = ['shortNames', 'categories'] as const;

/** Validates group and versions of a CustomResourceDefinition. */
export function validateDefinitionVersions(spec: JsonObject): StatusCause[] {
  const versions = objectsAt(spec, 'versions').map((version) => textAt(version, 'name'));
  const group = textAt(spec, 'group');
  const wrong = versions.flatMap((name, index) =>
    checkDns1035Label(name).map((detail) => invalid(`spec.versions[${index}].name`, name, detail)),
  );
  // kube-apiserver reports the first version twice, the second time under a removed field.
  const first = wrong.filter(({ field }) => field === 'spec.versions[0].name');
  return [
    ...(group === '' || group.includes('.')
      ? []
      : [invalid('spec.group', group, 'should be a domain with at least one dot')]),
    ...wrong,
    ...(new Set(versions).size === versions.length
      ? []
      : [invalid('spec.versions', spec.versions, 'must contain unique version names')]),
    ...first.map((cause) => ({ ...cause, field: 'spec.version' })),
  ];
}

/** Validates an update of a CustomResourceDefinition: immutable fields, and stored versions that must remain. */
export function validateDefinitionChange(definition: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(definition, 'spec'), objectAt(old, 'spec')];
  const conditions = objectsAt(objectAt(old, 'status'), 'conditions');
  const isEstablished = conditions.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const names = [objectAt(spec, 'names'), objectAt(before, 'names')] as const;
  return [
    ...(isEstablished
      ? [...unchanged(spec, before, 'scope', 'spec'), ...unchanged(...names, 'kind', 'spec.names')]
      : []),
    ...unchanged(spec, before, 'group', 'spec'),
    ...unchanged(...names, 'plural', 'spec.names'),
    ...validateStoredVersions(definition),
  ];
}

function validateStoredVersions(definition: JsonObject): StatusCause[] {
  const { storedVersions } = objectAt(definition, 'status');
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const known = new Set(versions.map((version) => textAt(version, 'name')));
  const stored = Array.isArray(storedVersions) ? storedVersions.map(String) : [];
  return stored.flatMap((name, index) => {
    if (known.has(name)) return [];
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid(indexPath('status.storedVersions', index), name, detail)];
  });
}

function unchanged(
  after: JsonObject,
  before: JsonObject,
  name: string,
  path: FieldPath,
): StatusCause[] {
  if (after[name] === before[name]) return [];
  return [invalid(childPath(path, name), after[name], 'field is immutable')];
}

function validateName(names: JsonObject, name: string, path: FieldPath): StatusCause[] {
  const value = textAt(names, name);
  const field = childPath(path, name);
  if (value === '') return name === 'plural' ? [] : [required(field)];
  if (name !== 'kind' && name !== 'listKind') {
    return checkDns1035Label(value).map((detail) => invalid(field, value, detail));
  }
  return checkDns1035Label(value.toLowerCase()).map((detail) =>
    invalid(field, value, `may have mixed case, but should otherwise match: ${detail}`),
  );
}

function validateNames(list: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value, index) =>
    checkDns1035Label(typeof value === 'string' ? value : '').map((detail) =>
      invalid(indexPath(path, index), value, detail),
    ),
  );
}
