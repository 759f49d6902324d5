import {
  isJsonObject,
  jsonText,
  type JsonValue,
  parseExact,
  ownValue,
} from '@keelson/structural-schema';
import { zeroOf } from '../../schema/decode.ts';
import type { ListType } from '../../schema/schema-type.ts';
import type { PathElement } from './field-set.ts';

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/**
 * Identifies an item of a keyed list or a set. A missing key counts as the default of its field, null as a
 * value. Returns undefined
 * for an item without any key and for a composite item of a set.
 */
export function itemElement(type: ListType, item: JsonValue): PathElement | undefined {
  if (type.list === 'set') {
    return item === null || typeof item === 'object' ? undefined : `v:${jsonText(item)}`;
  }
  if (!isJsonObject(item)) return undefined;
  const keys: [string, JsonValue][] = [];
  for (const key of type.keys) {
    const own = ownValue(item, key);
    const value = own === undefined ? defaultOf(type, key) : own;
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length === 0) return undefined;
  keys.sort(([left], [right]) => (left < right ? -1 : 1));
  return `k:${jsonText(Object.fromEntries(keys))}`;
}

/** Formats a path as in conflict and validation messages: `.spec.containers[name="a"].image`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map((element) => printElement(element)).join('');
}

/** Formats a step as in conflict messages: `.image`, `[name="a"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const value = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${value}`;
    case 'v:':
      return `[=${value}]`;
    case 'k:':
      return `[${Object.entries(parseExact(value) as object)
        .map(([key, part]) => `${key}=${shownKey(part as JsonValue)}`)
        .join(',')}]`;
    default:
      return `[${value}]`;
  }
}

/** Formats a key, which may have a wrong type, as structured-merge-diff does. */
function shownKey(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(shownKey).join(',')}]`;
  if (!isJsonObject(value)) return jsonText(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${shownKey(part)}`)
    .join('');
}

/** The default of a key. A required key without a default has the zero value of its type. */
function defaultOf(type: ListType, key: string): JsonValue | undefined {
  const field = type.item.kind === 'struct' ? type.item.fields.get(key) : undefined;
  if (field === undefined || field.default !== undefined || field.empty !== 'zero') {
    return field?.default as JsonValue | undefined;
  }
  return zeroOf(field);
}
