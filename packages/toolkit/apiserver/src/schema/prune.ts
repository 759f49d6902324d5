import {
  childPath,
  type FieldPath,
  indexPath,
  isJsonObject,
  type JsonObject,
} from '@keelson/structural-schema';
import type { SchemaType, StructType } from './schema-type.ts';

/** Removes the fields that the type does not know and returns their paths: `spec.foo`, `spec.containers[0].bar`. */
export function prune(type: SchemaType, value: unknown): string[] {
  const removed: string[] = [];
  visit(type, value, '', removed);
  return removed;
}

function visit(type: SchemaType, value: unknown, path: FieldPath, removed: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      visit(type.item, item, indexPath(path, index), removed);
    }
  } else if (isJsonObject(value)) {
    if (type.kind === 'struct') visitStruct(type, value, path, removed);
    else if (type.kind === 'map') {
      for (const key of Object.keys(value)) {
        const member = value[key];
        if (typeof member === 'object') visit(type.value, member, childPath(path, key), removed);
      }
    }
  }
}

function visitStruct(
  type: StructType,
  object: JsonObject,
  path: FieldPath,
  removed: string[],
): void {
  for (const key of Object.keys(object)) {
    const field = type.fields.get(key);
    if (field !== undefined) {
      const value = object[key];
      if (typeof value === 'object') visit(field.type, value, childPath(path, key), removed);
    } else if (!type.open) {
      delete object[key];
      removed.push(childPath(path, key));
    }
  }
}
