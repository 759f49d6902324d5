import { isJsonObject, type JsonValue } from '../../json/json-value.ts';
import { zeroOf } from '../../schema/decode.ts';
import type { ListType } from '../../schema/schema-type.ts';
import type { PathElement } from './field-set.ts';
import { jsonText, parseExact } from '../../json/exact-json.ts';

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/**
 * What identifies an item of a keyed list or a set, undefined for an item that cannot be identified
 * (no key at all, or a composite item of a set). A missing key counts with the default of its field.
 */
export function itemElement(type: ListType, item: JsonValue): PathElement | undefined {
  if (type.list === 'set') {
    return item === null || typeof item === 'object' ? undefined : `v:${jsonText(item)}`;
  }
  if (!isJsonObject(item)) return undefined;
  const keys: [string, JsonValue][] = [];
  for (const key of type.keys) {
    const value = item[key] ?? defaultOf(type, key);
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length === 0) return undefined;
  keys.sort(([left], [right]) => (left < right ? -1 : 1));
  return `k:${jsonText(Object.fromEntries(keys))}`;
}

/** A path as conflicts and validation print it: `.spec.containers[name="a"].image`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map((element) => printElement(element)).join('');
}

/** A step as conflicts print it: `.image`, `[name="a"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const value = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${value}`;
    case 'v:':
      return `[=${value}]`;
    case 'k:':
      return `[${Object.entries(parseExact(value) as object)
        .map(([key, part]) => `${key}=${jsonText(part)}`)
        .join(',')}]`;
    default:
      return `[${value}]`;
  }
}

/** A key that is always written has its zero value where none is given. */
function defaultOf(type: ListType, key: string): JsonValue | undefined {
  const field = type.item.kind === 'struct' ? type.item.fields.get(key) : undefined;
  if (field === undefined || field.default !== undefined || field.empty !== 'zero') {
    return field?.default as JsonValue | undefined;
  }
  return zeroOf(field);
}
