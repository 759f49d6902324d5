import type { StatusCause } from '@keelson/apimachinery';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  sortMembers,
} from '../json/json-value.ts';
import { jsonText } from '../json/exact-json.ts';
import { duplicate, invalid } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/** Returns the causes for equal items of sets, and for equal keys in lists with keys, at any depth. */
export function validateLists(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
): StatusCause[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return [
      ...ownCauses(schema, value, path),
      ...(items === undefined
        ? []
        : value.flatMap((item, index) => validateLists(items, item, indexPath(path, index)))),
    ];
  }
  if (!isJsonObject(value)) return [];
  const { properties = {}, additionalProperties: values } = schema;
  const names = Object.keys(value);
  return [
    ...(typeof values === 'object'
      ? names.flatMap((name) =>
          validateLists(values, value[name] as JsonValue, keyPath(path, name)),
        )
      : []),
    ...names.flatMap((name) => {
      const below = ownValue(properties, name);
      return below === undefined
        ? []
        : validateLists(below, value[name] as JsonValue, childPath(path, name));
    }),
  ];
}

function ownCauses(schema: JsonSchema, list: readonly JsonValue[], path: FieldPath): StatusCause[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(list, path);
    case 'map':
      return keyCauses(schema['x-kubernetes-list-map-keys'] ?? [], list, path);
    default:
      return [];
  }
}

function keyCauses(
  keys: readonly string[],
  list: readonly JsonValue[],
  path: FieldPath,
): StatusCause[] {
  const wrong = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalid(indexPath(path, wrong), sortMembers(list[wrong] as JsonValue), detail)];
  }
  return repeated(
    list.map((item) => keysOf(item, keys)),
    path,
  );
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const found = keys.flatMap((key): [string, JsonValue][] => {
    const value = isJsonObject(item) ? ownValue(item, key) : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(found);
}

/** Returns the cause for the second of several equal values. */
function repeated(values: readonly JsonValue[], path: FieldPath): StatusCause[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const sorted = sortMembers(value);
    const text = jsonText(sorted);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [duplicate(indexPath(path, index), sorted)] : [];
  });
}
