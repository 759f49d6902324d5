import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import type { ListType, SchemaType } from '../../schema/schema-type.ts';
import { FieldSet, type PathElement } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { isEmptyValue, isNamedField, itemsByElement, shapeOf, typeBelow } from './shape.ts';

/** The paths that a configuration sets, which its applier owns. */
export function fieldSetOf(type: SchemaType, value: JsonValue): FieldSet {
  const set = new FieldSet();
  collect(type, value, [], set);
  return set;
}

/**
 * Adds every struct field on the path to a member. A struct disappears when its last owned field is removed; a key of
 * a map or an item of a list does not.
 */
export function withNamedFields(set: FieldSet, type: SchemaType): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const key = element.slice(2);
    const isField = element.startsWith('f:');
    if (isField && isNamedField(type, key)) members.add(element);
    children.set(element, withNamedFields(child, isField ? typeBelow(type, key) : itemType(type)));
  }
  return new FieldSet(members, children);
}

function collect(type: SchemaType, value: JsonValue, path: PathElement[], set: FieldSet): void {
  const shape = shapeOf(type, value);
  if (shape === 'keys') collectKeys(type, value as JsonObject, path, set);
  else if (shape === 'items') collectItems(type as ListType, value as JsonValue[], path, set);
  else set.insert(path);
}

function collectKeys(
  type: SchemaType,
  object: JsonObject,
  path: PathElement[],
  set: FieldSet,
): void {
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const below = [...path, fieldElement(key)];
    collect(typeBelow(type, key), value, below, set);
    const isEmptyObject = isEmptyValue(value) && !Array.isArray(value);
    if (isEmptyObject || !isNamedField(type, key)) set.insert(below);
  }
}

function collectItems(type: ListType, list: JsonValue[], path: PathElement[], set: FieldSet): void {
  for (const [element, [item, ...others]] of itemsByElement(type, list)) {
    const below = [...path, element];
    // Items with the same key are owned together.
    if (item !== undefined && others.length === 0) collect(type.item, item, below, set);
    set.insert(below);
  }
}

function itemType(type: SchemaType): SchemaType {
  return type.kind === 'list' ? type.item : type;
}
