import type { StatusCause } from '@keelson/apimachinery';
import { forbidden, invalid, notSupported, required } from './field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from './field-path.ts';
import type { JsonSchema } from './json-schema.ts';
import { patternSyntaxProblem } from './pattern-matcher.ts';

const listType = 'x-kubernetes-list-type';
const mapKeys = 'x-kubernetes-list-map-keys';
const mapType = 'x-kubernetes-map-type';
const preserves = 'x-kubernetes-preserve-unknown-fields';

/**
 * Returns the causes for which a schema is not structural, apart from its types:
 * https://k8s.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function validateStructure(schema: JsonSchema, path: FieldPath): StatusCause[] {
  return [
    ...validateKeywords(schema, path),
    ...validateListType(schema, path),
    ...validateJunctors(schema, path),
  ];
}

function validateKeywords(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const causes: StatusCause[] = [];
  if ('$ref' in schema) causes.push(forbidden(childPath(path, '$ref'), '$ref is not supported'));
  if ('uniqueItems' in schema && schema.uniqueItems === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(forbidden(childPath(path, 'uniqueItems'), detail));
  }
  if (schema[preserves] === false) {
    causes.push(invalid(childPath(path, preserves), false, 'must be true or undefined'));
  }
  const kind = schema[mapType];
  if (kind !== undefined && kind !== 'atomic' && kind !== 'granular') {
    causes.push(notSupported(childPath(path, mapType), kind, ['atomic', 'granular']));
  }
  return [...causes, ...validatePattern(schema, path)];
}

function validatePattern({ pattern }: JsonSchema, path: FieldPath): StatusCause[] {
  if (pattern === undefined) return [];
  const why = patternSyntaxProblem(pattern);
  if (why === undefined) return [];
  const detail = `must be a valid regular expression, but isn't: ${why}`;
  return [invalid(childPath(path, 'pattern'), pattern, detail)];
}

function validateListType(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const kind = schema[listType];
  if (kind === undefined) return [];
  if (schema.type !== 'array') {
    const detail = `must be array if ${listType} is specified`;
    return [invalid(childPath(path, 'type'), schema.type, detail)];
  }
  switch (kind) {
    case 'atomic':
      return [];
    case 'set':
      return validateSet(schema, path);
    case 'map':
      return validateMap(schema, path);
    default:
      return [notSupported(childPath(path, listType), kind, ['atomic', 'set', 'map'])];
  }
}

/** Items of a set are compared as a whole, so they must be atomic. */
function validateSet({ items }: JsonSchema, path: FieldPath): StatusCause[] {
  const detail = `must be atomic as item of a list with ${listType}=set`;
  const below = childPath(path, 'items');
  if (items?.type === 'object' && items[mapType] !== 'atomic') {
    return [invalid(childPath(below, mapType), items[mapType] ?? null, detail)];
  }
  if (items?.type === 'array' && (items[listType] ?? 'atomic') !== 'atomic') {
    return [invalid(childPath(below, listType), items[listType], detail)];
  }
  return [];
}

/** The keys of a map list must be required or have a default. */
function validateMap({ items, [mapKeys]: keys = [] }: JsonSchema, path: FieldPath): StatusCause[] {
  if (keys.length === 0) {
    const detail = `must not be empty if ${listType} is map`;
    return [required(childPath(path, mapKeys), detail)];
  }
  const { properties = {}, required: needed = [] } = items ?? {};
  if (keys.some((key) => !Object.hasOwn(properties, key))) {
    const detail = 'entries must all be names of item properties';
    return [invalid(childPath(path, mapKeys), keys, detail)];
  }
  const missing = keys.filter(
    (key) => properties[key]?.default === undefined && !needed.includes(key),
  );
  const detail = `this property is in ${mapKeys}, so it must have a default or be a required property`;
  const below = childPath(childPath(path, 'items'), 'properties');
  return missing.map((key) => required(childPath(keyPath(below, key), 'default'), detail));
}

/** Schemas below `allOf`, `anyOf`, `oneOf` and `not` may only restrict fields that are declared outside. */
function validateJunctors(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    (schema[name] ?? []).flatMap((part, index) =>
      validateRestriction(part, indexPath(childPath(path, name), index)),
    ),
  );
  return schema.not === undefined
    ? lists
    : [...lists, ...validateRestriction(schema.not, childPath(path, 'not'))];
}

function validateRestriction(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const { type, default: value, properties = {}, items } = schema;
  // kube-apiserver allows `type` here only for `x-kubernetes-int-or-string`.
  const isScalar = type === 'integer' || type === 'string';
  return [
    ...(type === undefined || isScalar
      ? []
      : [forbidden(childPath(path, 'type'), 'must be empty to be structural')]),
    ...validatePattern(schema, path),
    ...(value === undefined
      ? []
      : [forbidden(childPath(path, 'default'), 'must be undefined to be structural')]),
    ...Object.entries(properties).flatMap(([name, part]) =>
      validateRestriction(part, keyPath(childPath(path, 'properties'), name)),
    ),
    ...(items === undefined ? [] : validateRestriction(items, childPath(path, 'items'))),
    ...validateJunctors(schema, path),
  ];
}
