import type { ObjectMeta, StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label, goLower } from '@keelson/cel/internal';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { invalid, required } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { validateInnerMetadata } from '../validation/validate-metadata.ts';

/** Returns the causes for invalid type and metadata of each object with `x-kubernetes-embedded-resource`. */
export function validateEmbedded(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
): StatusCause[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => validateEmbedded(items, item, indexPath(path, index)));
  }
  if (!isJsonObject(value)) return [];
  const { properties = {}, additionalProperties: values } = schema;
  const own = schema['x-kubernetes-embedded-resource'] === true ? objectCauses(value, path) : [];
  return [
    ...own,
    ...Object.keys(value).flatMap((name) => {
      const member = value[name] as JsonValue;
      const declared = ownValue(properties, name);
      if (declared !== undefined) return validateEmbedded(declared, member, childPath(path, name));
      return typeof values === 'object'
        ? validateEmbedded(values, member, keyPath(path, name))
        : [];
    }),
  ];
}

function objectCauses(object: JsonObject, path: FieldPath): StatusCause[] {
  const missing = ['apiVersion', 'kind'].filter((name) => ownValue(object, name) === undefined);
  const { apiVersion, kind, metadata } = object;
  return [
    ...missing.map((name) => required(childPath(path, name))),
    ...(apiVersion === undefined
      ? []
      : apiVersionCauses(apiVersion, childPath(path, 'apiVersion'))),
    ...(kind === undefined ? [] : kindCauses(kind, childPath(path, 'kind'))),
    ...(metadata === undefined || metadata === null ? [] : metadataCauses(metadata, path)),
  ];
}

function apiVersionCauses(value: JsonValue, path: FieldPath): StatusCause[] {
  if (typeof value !== 'string') return [invalid(path, value, 'must be a string')];
  if (value === '') return [invalid(path, value, 'must not be empty')];
  if (value.split('/').length <= 2) return [];
  return [invalid(path, value, `unexpected GroupVersion string: ${value}`)];
}

function kindCauses(value: JsonValue, path: FieldPath): StatusCause[] {
  if (typeof value !== 'string') return [invalid(path, value, 'must be a string')];
  if (value === '') return [invalid(path, value, 'must not be empty')];
  const problems = checkDns1035Label(goLower(value));
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalid(path, value, detail)];
}

/** The name of an embedded object may be missing. The API server has decoded the metadata before; `parse` has not. */
function metadataCauses(metadata: JsonValue, path: FieldPath): StatusCause[] {
  const wrong = wrongMember(metadata);
  if (wrong !== undefined) {
    const place = childPath(path, 'metadata');
    return [
      invalid(
        wrong === '' ? place : childPath(place, wrong),
        metadata,
        'must have the type of metadata',
      ),
    ];
  }
  return validateInnerMetadata(metadata as ObjectMeta).map((cause) => ({
    ...cause,
    field: childPath(path, cause.field ?? ''),
  }));
}

const texts: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
]);

/** Returns the member of metadata that has another type in Go, and the empty text for a value other than an object. */
function wrongMember(metadata: JsonValue): string | undefined {
  if (!isJsonObject(metadata)) return '';
  return Object.keys(metadata).find((name) => {
    const value = metadata[name] as JsonValue;
    return value !== null && !hasGoType(name, value);
  });
}

function hasGoType(name: string, value: JsonValue): boolean {
  if (texts.has(name)) return typeof value === 'string';
  switch (name) {
    case 'labels':
    case 'annotations':
      return isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
    case 'finalizers':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    case 'ownerReferences':
    case 'managedFields':
      return Array.isArray(value) && value.every(isJsonObject);
    default:
      return true;
  }
}
