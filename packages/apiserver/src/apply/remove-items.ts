import { type JsonObject, type JsonValue, setOwn } from '../json/json-value.ts';
import type { ListType, SchemaType } from '../schema/schema-type.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldElement, itemElement } from './fields/path-element.ts';
import { shapeOf, typeBelow } from './fields/shape.ts';

/** Copies a value without the paths of a set. Objects and lists that become empty are removed too. */
export function removeItems(type: SchemaType, value: JsonValue, set: FieldSet): JsonValue {
  return removeBelow(type, value, set) ?? {};
}

function removeBelow(type: SchemaType, value: JsonValue, set: FieldSet): JsonValue | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'keys') return removeKeys(type, value as JsonObject, set);
  if (shape === 'items') return removeListItems(type as ListType, value as JsonValue[], set);
  return value;
}

function removeKeys(type: SchemaType, object: JsonObject, set: FieldSet): JsonObject | undefined {
  const kept: JsonObject = {};
  for (const key of Object.keys(object)) {
    const element = fieldElement(key);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const value = object[key] as JsonValue;
    const left = below === undefined ? value : removeBelow(typeBelow(type, key), value, below);
    if (left !== undefined) setOwn(kept, key, left);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function removeListItems(
  type: ListType,
  list: JsonValue[],
  set: FieldSet,
): JsonValue[] | undefined {
  const kept: JsonValue[] = [];
  for (const item of list) {
    const element = itemElement(type, item);
    if (element !== undefined && set.members.has(element)) continue;
    const below = element === undefined ? undefined : set.children.get(element);
    const left = below === undefined ? item : removeBelow(type.item, item, below);
    if (left !== undefined) kept.push(left);
  }
  return kept.length === 0 ? undefined : kept;
}
