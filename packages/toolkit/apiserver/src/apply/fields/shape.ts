import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import { type ListType, type SchemaType, untyped } from '../../schema/schema-type.ts';
import type { PathElement } from './field-set.ts';
import { itemElement } from './path-element.ts';

/** How a value is divided among owners: as a whole, by its keys, or by its items. */
export type Shape = 'leaf' | 'keys' | 'items';

/** The shape of a value; undefined for null and undefined, which match any type. */
export function shapeOf(type: SchemaType, value: JsonValue | undefined): Shape | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    return type.kind === 'list' && type.list !== 'atomic' ? 'items' : 'leaf';
  }
  if (!isJsonObject(value) || type.kind === 'scalar' || type.kind === 'list') return 'leaf';
  return type.atomic ? 'leaf' : 'keys';
}

/** The type of the value under a key of an object. */
export function typeBelow(type: SchemaType, key: string): SchemaType {
  if (type.kind === 'struct') return type.fields.get(key)?.type ?? untyped;
  return type.kind === 'map' ? type.value : untyped;
}

/** True if a key is a field of a struct: such a field exists only while it has content. */
export function isNamedField(type: SchemaType, key: string): boolean {
  return type.kind === 'struct' && type.fields.has(key);
}

/** The items of a keyed list or set by path element; several items may share one. */
export function itemsByElement(
  type: ListType,
  list: readonly JsonValue[],
): Map<PathElement, JsonValue[]> {
  const items = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = itemElement(type, item);
    if (element === undefined) continue;
    const alike = items.get(element);
    if (alike === undefined) items.set(element, [item]);
    else alike.push(item);
  }
  return items;
}

/** True if a value is null, undefined, `{}` or `[]`: such values are owned as a whole. */
export function isEmptyValue(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
