import { type JsonObject, type JsonValue, setOwn } from '@keelson/structural-schema';
import type { ListType, SchemaType } from '../schema/schema-type.ts';
import { FieldSet } from './fields/field-set.ts';
import { fieldElement, itemElement } from './fields/path-element.ts';
import { shapeOf, typeBelow } from './fields/shape.ts';

/**
 * Copies a value without the paths of a set. An object or list that becomes empty is replaced by null unless it is
 * itself in the set, as in structured-merge-diff: its owner still owns it.
 */
export function removeItems(type: SchemaType, value: JsonValue, set: FieldSet): JsonValue {
  return removeBelow(type, value, set) ?? {};
}

function removeBelow(type: SchemaType, value: JsonValue, set: FieldSet): JsonValue {
  const shape = shapeOf(type, value);
  if (shape === 'keys') return removeKeys(type, value as JsonObject, set);
  if (shape === 'items') return removeListItems(type as ListType, value as JsonValue[], set);
  return value;
}

function removeKeys(type: SchemaType, object: JsonObject, set: FieldSet): JsonObject | null {
  const kept: JsonObject = {};
  for (const key of Object.keys(object)) {
    const element = fieldElement(key);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const value = object[key] as JsonValue;
    const left = below === undefined ? value : removeBelow(typeBelow(type, key), value, below);
    setOwn(kept, key, left);
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function removeListItems(type: ListType, list: JsonValue[], set: FieldSet): JsonValue[] | null {
  const kept: JsonValue[] = [];
  for (const item of list) {
    const element = itemElement(type, item);
    if (element !== undefined && set.members.has(element)) continue;
    const below = element === undefined ? undefined : set.children.get(element);
    kept.push(below === undefined ? item : removeBelow(type.item, item, below));
  }
  return kept.length === 0 ? null : kept;
}
