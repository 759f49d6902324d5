import type { StatusCause } from '@keelson/apimachinery';
import { ownValue } from '../json/json-value.ts';
import { forbidden, invalid, notSupported, required } from '../validation/field-error.ts';
import { childPath, type FieldPath, keyPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';

const listType = 'x-kubernetes-list-type';
const mapKeys = 'x-kubernetes-list-map-keys';
const mapType = 'x-kubernetes-map-type';

/** Validates `x-kubernetes-map-type`, `x-kubernetes-list-type` and the keys of lists. */
export function validateListTypes(schema: JsonSchema, path: FieldPath): StatusCause[] {
  return [
    ...mapTypeCauses(schema, path),
    ...listTypeCauses(schema, path),
    ...keyCauses(schema, path),
    ...nullCauses(schema, path),
  ];
}

/** The cause for an extension on a schema of another type. */
function needsType(schema: JsonSchema, name: string, type: string, path: FieldPath): StatusCause[] {
  if (schema.type === type) return [];
  const detail = `must be ${type} if ${name} is specified`;
  const field = childPath(path, 'type');
  return schema.type === undefined || schema.type === ''
    ? [required(field, detail)]
    : [invalid(field, schema.type, detail)];
}

function mapTypeCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const kind = schema[mapType];
  if (kind === undefined) return [];
  const kinds = ['atomic', 'granular'];
  return [
    ...needsType(schema, mapType, 'object', path),
    ...(kinds.includes(kind) ? [] : [notSupported(childPath(path, mapType), kind, kinds)]),
  ];
}

function listTypeCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const kind = schema[listType];
  if (kind === undefined) return [];
  const kinds = ['atomic', 'set', 'map'];
  const misplaced = needsType(schema, listType, 'array', path);
  return [
    ...misplaced,
    ...(misplaced.length === 0 && kind === 'set' ? setItemCauses(schema, path) : []),
    ...(kinds.includes(kind) ? [] : [notSupported(childPath(path, listType), kind, kinds)]),
  ];
}

/** Items of a set are compared as a whole, so they must be atomic. */
function setItemCauses({ items }: JsonSchema, path: FieldPath): StatusCause[] {
  const detail = `must be atomic as item of a list with ${listType}=set`;
  const below = childPath(path, 'items');
  const shown = items?.[listType] ?? null;
  if (items?.type === 'object' && items[mapType] !== 'atomic') {
    return [invalid(childPath(below, mapType), shown, detail)];
  }
  if (items?.type === 'array' && (items[listType] ?? 'atomic') !== 'atomic') {
    return [invalid(childPath(below, listType), shown, detail)];
  }
  return [];
}

function keyCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const { [listType]: kind, [mapKeys]: keys = [], items } = schema;
  const causes: StatusCause[] = [];
  if (keys.length > 0 && kind !== 'map') {
    const detail = `must be map if ${mapKeys} is non-empty`;
    const field = childPath(path, listType);
    causes.push(kind === undefined ? required(field, detail) : invalid(field, kind, detail));
  }
  if (kind !== 'map') return causes;
  if (keys.length === 0) {
    causes.push(required(childPath(path, mapKeys), `must not be empty if ${listType} is map`));
  }
  const itemsPath = childPath(path, 'items');
  if (items === undefined) {
    return [...causes, required(itemsPath, `must have a schema if ${listType} is map`)];
  }
  if (items.type !== 'object') {
    const detail = `must be object if parent array's ${listType} is map`;
    return [...causes, invalid(childPath(itemsPath, 'type'), items.type ?? '', detail)];
  }
  return [...causes, ...keys.flatMap((key, index) => oneKeyCauses(schema, key, index, path))];
}

function oneKeyCauses(
  schema: JsonSchema,
  key: string,
  index: number,
  path: FieldPath,
): StatusCause[] {
  const { [mapKeys]: keys = [], items = {} } = schema;
  const field = childPath(path, mapKeys);
  const property = ownValue(items.properties ?? {}, key);
  const causes: StatusCause[] = [];
  if (property === undefined) {
    causes.push(invalid(field, keys, 'entries must all be names of item properties'));
  } else if (property.type === 'array' || property.type === 'object') {
    const place = keyPath(childPath(childPath(path, 'items'), 'properties'), key);
    const detail = `must be a scalar type if parent array's ${listType} is map`;
    causes.push(invalid(childPath(place, 'type'), items.type, detail));
  }
  if (keys.indexOf(key) < index)
    causes.push(invalid(field, keys, 'must not contain duplicate entries'));
  return causes;
}

/** Items of sets and of lists with keys are never null, and the keys are never missing. */
function nullCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  const { [listType]: kind, [mapKeys]: keys = [], items } = schema;
  if (items === undefined || (kind !== 'set' && kind !== 'map')) return [];
  const below = childPath(path, 'items');
  const causes: StatusCause[] = [];
  if (items.nullable === true) {
    const detail = `cannot be nullable when ${listType} is ${kind}`;
    causes.push(forbidden(childPath(below, 'nullable'), detail));
  }
  if (kind === 'set') return causes;
  const { properties = {}, required: needed = [] } = items;
  for (const key of keys) {
    const property = ownValue(properties, key);
    if (property === undefined) continue;
    const place = keyPath(childPath(below, 'properties'), key);
    const why = `this property is in ${mapKeys}, so it`;
    if (!needed.includes(key) && isMissing(property.default)) {
      const detail = `${why} must have a default or be a required property`;
      causes.push(required(childPath(place, 'default'), detail));
    }
    if (property.nullable === true) {
      causes.push(forbidden(childPath(place, 'nullable'), `${why} cannot be nullable`));
    }
  }
  return causes;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
