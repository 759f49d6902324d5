import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from '@keelson/structural-schema';
import type { ListType, SchemaType } from '../schema/schema-type.ts';
import type { PathElement } from './fields/field-set.ts';
import { itemElement } from './fields/path-element.ts';
import { isEmptyValue, itemsByElement, shapeOf, typeBelow } from './fields/shape.ts';

/** Merges a configuration into the live object: leaves are replaced, objects and keyed lists merge. */
export function mergeConfiguration(
  type: SchemaType,
  live: JsonValue | undefined,
  applied: JsonValue | undefined,
): JsonValue {
  if (applied === undefined) return cloneJson(live ?? null);
  const shape = shapeOf(type, live);
  // An empty object or list that has several owners removes nothing of the other owners.
  if (shape !== 'leaf' && shape !== undefined && isEmptyValue(applied))
    return cloneJson(live as JsonValue);
  if (shape !== shapeOf(type, applied)) return cloneJson(applied);
  if (shape === 'keys') return mergeKeys(type, live as JsonObject, applied as JsonObject);
  if (shape === 'items') {
    return mergeItems(type as ListType, live as JsonValue[], applied as JsonValue[]);
  }
  return cloneJson(applied);
}

function mergeKeys(type: SchemaType, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const [before, wanted] = [ownValue(live, key), ownValue(applied, key)];
    setOwn(merged, key, mergeConfiguration(typeBelow(type, key), before, wanted));
  }
  return merged;
}

/**
 * Merges lists. Items in both lists have the applied order. Live-only items keep their place before the next common
 * item, and precede applied-only items.
 */
function mergeItems(type: ListType, live: JsonValue[], applied: JsonValue[]): JsonValue[] {
  const liveItems = itemsByElement(type, live);
  const appliedItems = itemsByElement(type, applied);
  const merged: JsonValue[] = [];
  const rest = live.values();
  let fresh: JsonValue[] = [];
  for (const [element, [item = null]] of appliedItems) {
    const [before, ...others] = liveItems.get(element) ?? [];
    if (before !== undefined) {
      merged.push(...liveOnlyUntil(rest, type, appliedItems, element), ...fresh);
      // Live items with the same key do not merge: the applied item replaces all of them.
      merged.push(mergeConfiguration(type.item, others.length === 0 ? before : null, item));
      fresh = [];
    } else {
      fresh.push(cloneJson(item));
    }
  }
  return [...merged, ...liveOnlyUntil(rest, type, appliedItems), ...fresh];
}

/** Takes items from the live list up to the given item and returns those that the configuration lacks. */
function liveOnlyUntil(
  rest: ArrayIterator<JsonValue>,
  type: ListType,
  appliedItems: ReadonlyMap<PathElement, unknown>,
  end?: PathElement,
): JsonValue[] {
  const found: JsonValue[] = [];
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const element = itemElement(type, next.value);
    if (element !== undefined && element === end) break;
    if (element === undefined || !appliedItems.has(element)) found.push(cloneJson(next.value));
  }
  return found;
}
