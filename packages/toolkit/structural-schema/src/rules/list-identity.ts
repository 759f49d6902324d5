import {
  Duration,
  EvaluationError,
  fail,
  isFailed,
  isList,
  type ListIdentity,
  MapValue,
  type Outcome,
  SchemaList,
  showValue,
  Timestamp,
  type Value,
} from '@keelson/cel/internal';
import { jsonText } from '../json/exact-json.ts';
import { goNumberType } from '../json/go-number.ts';
import { isJsonObject, isNumeric, type JsonValue, ownValue } from '../json/json-value.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { escapeFieldName } from './field-name.ts';
import { SchemaObject } from './schema-object.ts';

/** Returns how items of a list are identified; undefined if the order of the list matters. */
export function listIdentity(
  schema: JsonSchema,
  list: readonly JsonValue[],
): ListIdentity | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { keys: () => list.map(jsonKey), keyOf: valueKey, isWhole: true };
    case 'map': {
      // kube-apiserver looks up the escaped names in the JSON.
      const names = (schema['x-kubernetes-list-map-keys'] ?? []).map(
        (name) => escapeFieldName(name) ?? name,
      );
      return {
        keys: () => list.map((item) => itemKey(item, names)),
        keyOf: (item) => itemKey(jsonOf(item), names),
        isWhole: false,
      };
    }
    default:
      return undefined;
  }
}

/**
 * Returns an item of another list as an item of a list of the resource. As in kube-apiserver it loses its schema type,
 * so that a time no longer fits a text with a format.
 */
export function addedItem(item: Value): Outcome {
  const type = goTypeOfConverted(item);
  return type === undefined
    ? item
    : new EvaluationError(`invalid data, expected string, got ${type}`);
}

function goTypeOfConverted(item: Value): string | undefined {
  if (item instanceof Timestamp) return 'time.Time';
  if (item instanceof Duration) return 'time.Duration';
  return item instanceof Uint8Array ? '[]uint8' : undefined;
}

/** The key of an item of a set: Go compares the decoded JSON. */
function jsonKey(json: JsonValue): string {
  if (isNumeric(json)) return `${goNumberType(json)} ${json}`;
  if (Array.isArray(json)) return unhashable('[]interface {}');
  return isJsonObject(json)
    ? unhashable('map[string]interface {}')
    : `${typeof json} ${String(json)}`;
}

function valueKey(item: Outcome): string | undefined {
  if (isFailed(item)) return undefined;
  if (item instanceof MapValue) {
    return unhashable(item.isMade ? 'map[ref.Val]ref.Val' : 'map[string]interface {}');
  }
  if (isList(item)) return unhashable(item instanceof SchemaList ? '[]interface {}' : '[]ref.Val');
  if (item instanceof Uint8Array) return unhashable('[]uint8');
  return `${goTypeNames.get(typeof item) ?? typeof item} ${showValue(item)}`;
}

/** The names of the types of keys that differ from JavaScript's. */
const goTypeNames: ReadonlyMap<string, string> = new Map([
  ['bigint', 'int64'],
  ['number', 'float64'],
  // A time or null of an expression is never equal to JSON.
  ['object', 'value'],
]);

function unhashable(type: string): never {
  return fail(`internal error: runtime error: hash of unhashable type ${type}`);
}

function jsonOf(item: Outcome): JsonValue {
  return item instanceof SchemaObject ? item.json : null;
}

function itemKey(json: JsonValue, names: readonly string[]): string | undefined {
  if (!isJsonObject(json)) return undefined;
  return jsonText(names.map((name) => ownValue(json, name) ?? null));
}
