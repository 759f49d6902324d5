import { StatusError } from '@keelson/apimachinery';
import { type Field, type SchemaType, untyped } from '../schema/schema-type.ts';
import { orderItems } from './element-order.ts';
import { ItemIds } from './item-ids.ts';
import { KeyedItems } from './keyed-items.ts';
import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  jsonText,
  type JsonValue,
  setOwn,
} from '@keelson/structural-schema';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

/**
 * Applies a strategic merge patch, kubectl's default for built-in kinds. It extends the merge patch: lists that the
 * type marks merge by their merge key. Directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`,
 * `$setElementOrder/…`) express other changes. Does not change the target. Throws a `StatusError` if the patch is
 * malformed: 400, or 500 where kube-apiserver responds so.
 */
export function strategicMergePatch(
  type: SchemaType,
  target: JsonObject,
  patch: JsonValue,
): JsonObject {
  if (!isJsonObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch;
    const goType = 'map[string]interface {}';
    throw badRequest(`json: cannot unmarshal ${found} into Go value of type ${goType}`);
  }
  return mergeObject(type, cloneJson(target), patch);
}

function mergeObject(type: SchemaType, target: JsonObject, patch: JsonObject): JsonObject {
  const mode = patch[directive];
  if (mode === 'replace') return withoutDirectives(patch);
  if (mode === 'delete') return {};
  if (mode !== undefined) throw unknownDirective(mode, patch);
  if (patch[retainKeys] !== undefined) retain(target, patch);
  for (const key of Object.keys(patch)) {
    if (key === directive || key === retainKeys) continue;
    if (key.startsWith(deletePrefix)) deleteItems(target, key, patch[key] as JsonValue);
    else if (!key.startsWith(orderPrefix)) mergeKey(type, target, key, patch);
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) checkOrder(type, key.slice(orderPrefix.length), patch);
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) applyOrder(type, target, key.slice(orderPrefix.length), patch);
  }
  return target;
}

function mergeKey(type: SchemaType, target: JsonObject, key: string, patch: JsonObject): void {
  const value = patch[key] as JsonValue;
  if (value === null) {
    delete target[key];
    return;
  }
  const previous = Object.hasOwn(target, key) ? target[key] : undefined;
  setOwn(target, key, mergeValue(fieldAt(type, key), previous, value));
}

/** Returns the merge rules of a key; keys of maps use the rules of the map's values. */
function fieldAt(type: SchemaType, key: string): Pick<Field, 'type' | 'mergeKey' | 'patch'> {
  const field = type.kind === 'struct' ? type.fields.get(key) : undefined;
  const below = type.kind === 'map' ? type.value : untyped;
  return field ?? { type: below, patch: { merge: false, retainKeys: false } };
}

function mergeValue(
  field: Pick<Field, 'type' | 'mergeKey' | 'patch'>,
  previous: JsonValue | undefined,
  value: JsonValue,
): JsonValue {
  if (isJsonObject(value)) {
    if (field.patch.replace === true) return withoutDirectives(value);
    return mergeObject(field.type, isJsonObject(previous) ? previous : {}, value);
  }
  if (!Array.isArray(value)) return value;
  if (!field.patch.merge) return value.map((item) => withoutDirectivesIn(item));
  // The target has no list to merge with. Repeated keys stay; validation may refuse them.
  if (!Array.isArray(previous)) return withoutDirectivesIn(value);
  const item = field.type.kind === 'list' ? field.type.item : untyped;
  if (value.every((each) => !isJsonObject(each))) return mergeScalars(previous, value);
  if (field.mergeKey === undefined) throw badRequest('cannot merge lists without merge key');
  return mergeItems(item, field.mergeKey, previous, value);
}

function mergeScalars(list: JsonValue[], patch: JsonValue[]): JsonValue[] {
  // Of equal values the first one stays; a Set keeps insertion order.
  const known = new Set(list);
  const added = new Set(patch.filter((value) => !known.has(value)));
  return orderItems([...list, ...added], patch, list);
}

function mergeItems(
  type: SchemaType,
  key: string,
  list: JsonValue[],
  patch: JsonValue[],
): JsonValue[] {
  const items = patch.filter((item) => isJsonObject(item));
  if (items.some((item) => item[directive] === 'replace')) {
    return items
      .filter((item) => item[directive] !== 'replace')
      .map((item) => withoutDirectives(item));
  }
  const merged = new KeyedItems(list, key);
  const written: JsonValue[] = [];
  for (const item of items) {
    const id = item[key];
    if (id === undefined)
      throw internal(`map: ${goValue(item)} does not contain declared merge key: ${key}`);
    if (item[directive] === 'delete') {
      merged.delete(id);
      continue;
    }
    written.push(id);
    merged.set(id, mergeObject(type, merged.get(id) ?? {}, item));
  }
  return orderItems(merged.all(), written, list, key);
}

function retain(target: JsonObject, patch: JsonObject): void {
  const keys = patch[retainKeys];
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set(keys);
  const stray = Object.keys(patch).find((key) => !key.startsWith('$') && !kept.has(key));
  if (stray !== undefined && patch[stray] !== null) {
    throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(target)) if (!kept.has(key)) delete target[key];
}

function deleteItems(target: JsonObject, key: string, values: JsonValue): void {
  const name = key.slice(deletePrefix.length);
  const list = target[name];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  const ids = new ItemIds();
  const gone = ids.places(values);
  target[name] = list.filter((item) => !gone.has(ids.of(item)));
}

function applyOrder(type: SchemaType, target: JsonObject, name: string, patch: JsonObject): void {
  const list = target[name];
  const order = patch[`${orderPrefix}${name}`];
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  const key = fieldAt(type, name).mergeKey;
  const ids =
    key === undefined
      ? order
      : order.map((item) => (isJsonObject(item) ? (item[key] ?? null) : item));
  target[name] = orderItems(list, ids, list, key);
}

/** Checks that the patch lists its items in the order of `$setElementOrder`. */
function checkOrder(type: SchemaType, name: string, patch: JsonObject): void {
  const order = patch[`${orderPrefix}${name}`];
  const list = patch[name];
  if (!Array.isArray(order) || !Array.isArray(list)) return;
  const key = fieldAt(type, name).mergeKey;
  const ids = new ItemIds(key);
  let from = 0;
  for (const item of list) {
    if (isJsonObject(item) && item[directive] !== undefined) continue;
    const id = ids.of(item);
    while (from < order.length && ids.of(order[from] ?? null) !== id) from++;
    if (from === order.length) {
      throw internal(
        `The order in patch list:\n${goValue(list)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
      );
    }
    from++;
  }
}

/** Returns the value of a patch for which the target has no value to merge with. */
function withoutDirectives(patch: JsonObject): JsonObject {
  const plain: JsonObject = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (!key.startsWith('$') && value !== null) setOwn(plain, key, withoutDirectivesIn(value));
  }
  return plain;
}

function withoutDirectivesIn(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.filter((item) => !isDirective(item)).map((item) => withoutDirectivesIn(item));
  }
  return isJsonObject(value) ? withoutDirectives(value) : value;
}

/** True for an item that only carries a directive about other items. */
function isDirective(item: JsonValue): boolean {
  return isJsonObject(item) && item[directive] !== undefined;
}

function unknownDirective(mode: JsonValue, patch: JsonObject): StatusError {
  return internal(`unknown patch type: ${goValue(mode)} in map: ${goValue(patch)}`);
}

/** Prints a value as Go does in these messages: `map[image:n]`. */
function goValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item)).join(' ')}]`;
  if (!isJsonObject(value)) return typeof value === 'string' ? value : jsonText(value);
  const parts = Object.keys(value).toSorted();
  return `map[${parts.map((key) => `${key}:${goValue(value[key] as JsonValue)}`).join(' ')}]`;
}

function badRequest(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, reason: 'BadRequest', code: 400 });
}

/** kube-apiserver reports these invalid patches as 500. */
function internal(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}
