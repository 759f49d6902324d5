import type { KubernetesObject, StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label, checkPathSegment } from '@keelson/cel/internal';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { invalid, required } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { validateMetadata } from '../validation/validate-metadata.ts';

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
    ...(isJsonObject(metadata) ? metadataCauses(metadata, path) : []),
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
  const problems = checkDns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalid(path, value, detail)];
}

/** The name of an embedded object may be missing. */
function metadataCauses(metadata: JsonObject, path: FieldPath): StatusCause[] {
  const named = { ...metadata, name: metadata['name'] || 'fakename' };
  const object = { metadata: named } as unknown as KubernetesObject;
  return validateMetadata(object, checkPathSegment).map((cause) => ({
    ...cause,
    field: childPath(path, cause.field ?? ''),
  }));
}
