import { isJsonObject, type JsonValue } from '../../json/json-value.ts';
import { type ListType, type SchemaType, untyped } from '../../schema/schema-type.ts';
import type { PathElement } from './field-set.ts';
import { itemElement } from './path-element.ts';

/** How far a value can be divided among owners: as a whole, by its keys, or by its items. */
export type Shape = 'leaf' | 'keys' | 'items';

/** The shape of a value; null and undefined have none and fit any. */
export function shapeOf(type: SchemaType, value: JsonValue | undefined): Shape | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    return type.kind === 'list' && type.list !== 'atomic' ? 'items' : 'leaf';
  }
  if (!isJsonObject(value) || type.kind === 'scalar' || type.kind === 'list') return 'leaf';
  return type.atomic ? 'leaf' : 'keys';
}

/** The type of what stands under a key of an object. */
export function typeBelow(type: SchemaType, key: string): SchemaType {
  if (type.kind === 'struct') return type.fields.get(key)?.type ?? untyped;
  return type.kind === 'map' ? type.value : untyped;
}

/** True for a key that is a field of a struct: such a field exists only through what it holds. */
export function isNamedField(type: SchemaType, key: string): boolean {
  return type.kind === 'struct' && type.fields.has(key);
}

/** The items of a keyed list or set by what identifies them: more than one where several share it. */
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

/** True for null, undefined, `{}` and `[]`: such values count as a whole. */
export function isHollow(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
