import { StatusError } from '@keelson/apimachinery';
import { type Field, type SchemaType, untyped } from '../schema/schema-type.ts';
import { orderItems } from './element-order.ts';
import { ItemIds } from './item-ids.ts';
import { KeyedItems } from './keyed-items.ts';
import {
  cloneJson,
  goText,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  jsonText,
  type JsonValue,
  setOwn,
} from '@keelson/structural-schema';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList';
const orderPrefix = '$setElementOrder';

/**
 * Applies a strategic merge patch, kubectl's default for built-in kinds. It extends the merge patch: lists that the
 * type marks merge by their merge key. Directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`,
 * `$setElementOrder/…`) express other changes. Those in a value that does not merge stay in it as unknown fields, except
 * values with `$patch`. Changes neither the target nor the patch. Throws a `StatusError` if the patch is malformed: 400, or 500 where
 * kube-apiserver responds so.
 */
export function strategicMergePatch(
  type: SchemaType,
  target: JsonObject,
  patch: JsonValue,
): JsonObject {
  if (!isJsonObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${found} into Go value of type ${mapType}`);
  }
  return mergeObject(type, cloneJson(target), cloneJson<JsonObject>(patch));
}

/** The merge rules of a member. */
type MergeRules = Pick<Field, 'type' | 'mergeKey' | 'patch'>;

function mergeObject(type: SchemaType, target: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) return directed(patch);
  if (Object.hasOwn(patch, retainKeys)) retain(target, patch);
  const merged = new Set([retainKeys]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    merged.add(key);
    if (mergeInOrder(type, target, key, patch)) merged.add(key.slice(orderPrefix.length + 1));
  }
  for (const key of Object.keys(patch)) {
    if (!merged.has(key)) mergeMember(type, target, key, patch[key] as JsonValue);
  }
  return target;
}

/** Executes the directive of an object. */
function directed({ [directive]: mode = null, ...patch }: JsonObject): JsonObject {
  if (mode === 'replace') return patch;
  if (mode === 'delete') return {};
  throw unknownDirective(mode, { [directive]: mode, ...patch });
}

function retain(target: JsonObject, patch: JsonObject): void {
  const keys = patch[retainKeys];
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set(keys);
  const stray = Object.keys(patch).find((key) => !isListDirective(key) && !kept.has(key));
  if (stray !== undefined) throw badRequest('invalid patch format of retainKeys');
  for (const key of Object.keys(target)) if (!kept.has(key)) delete target[key];

  function isListDirective(key: string): boolean {
    if (key === retainKeys || patch[key] === null) return true;
    return key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
  }
}

function mergeMember(type: SchemaType, target: JsonObject, key: string, value: JsonValue): void {
  const isDeletion = key.startsWith(deletePrefix);
  const name = isDeletion ? listOf(key, deletePrefix, 'primitive list') : key;
  if (value === null) {
    delete target[name];
    return;
  }
  const previous = Object.hasOwn(target, name) ? target[name] : undefined;
  if (previous === undefined || goType(previous) !== goType(value)) {
    if (!isDeletion) put(target, name, fresh(value));
    return;
  }
  const rules = rulesOf(type, name);
  if (Array.isArray(value)) {
    const list = previous as JsonValue[];
    const isMerged = rules.patch.merge || isDeletion;
    setOwn(target, name, isMerged ? mergeList(rules, list, value, isDeletion) : value);
  } else if (isJsonObject(value)) {
    const isReplaced = rules.patch.replace === true;
    setOwn(
      target,
      name,
      isReplaced ? value : mergeObject(rules.type, previous as JsonObject, value),
    );
  } else put(target, name, value);
}

/** Sets a member, or removes it if nothing of its value is left. */
function put(target: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) delete target[key];
  else setOwn(target, key, value);
}

/** Returns the merge rules of a key; keys of maps use the rules of the map's values. */
function rulesOf(type: SchemaType, key: string): MergeRules {
  const field = type.kind === 'struct' ? type.fields.get(key) : undefined;
  const below = type.kind === 'map' ? type.value : untyped;
  return field ?? { type: below, patch: { merge: false, retainKeys: false } };
}

/** Merges a list and orders it by `$setElementOrder`. Returns false if neither object has the list. */
function mergeInOrder(
  type: SchemaType,
  target: JsonObject,
  key: string,
  patch: JsonObject,
): boolean {
  const order = asList(patch[key]);
  const name = listOf(key, orderPrefix, 'setElementOrder list');
  const previous = Object.hasOwn(target, name) ? asList(target[name]) : undefined;
  const next = Object.hasOwn(patch, name) ? asList(patch[name]) : undefined;
  const rules = listRulesOf(type, name);
  checkOrder(next ?? [], order, rules.mergeKey);
  const merged = mergedLists(rules, previous, next);
  if (merged === undefined) return false;
  if (rules.mergeKey !== undefined) requireKeys(merged, rules.mergeKey);
  const kind = elementType(previous ?? [], next ?? []);
  if (rules.mergeKey !== undefined && kind === mapType) requireKeys(order, rules.mergeKey);
  setOwn(
    target,
    name,
    orderItems(merged, idsIn(order, rules.mergeKey), previous ?? [], rules.mergeKey),
  );
  return true;
}

function mergedLists(
  rules: MergeRules,
  previous: JsonValue[] | undefined,
  next: JsonValue[] | undefined,
): JsonValue[] | undefined {
  if (next === undefined) return previous;
  if (previous === undefined) return fresh(next) as JsonValue[];
  return rules.patch.merge ? mergeList(rules, previous, next) : next;
}

function listRulesOf(type: SchemaType, name: string): MergeRules {
  if (type.kind !== 'struct') {
    throw internal('merging an object in json but data type is not struct, instead is: map');
  }
  const field = type.fields.get(name);
  if (field === undefined) {
    const struct = type.name.slice(type.name.lastIndexOf('.') + 1);
    throw internal(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  }
  if (field.type.kind === 'list') return field;
  throw internal('expected slice or array type, but got: struct');
}

/** Returns the name of the list in `$setElementOrder/NAME` or `$deleteFromPrimitiveList/NAME`. */
function listOf(key: string, prefix: string, what: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw badRequest(`invalid patch format of ${what}`);
}

/** Checks that the patch lists its items in the order of `$setElementOrder`. */
function checkOrder(list: JsonValue[], order: JsonValue[], key: string | undefined): void {
  if (order.length === 0 || list.length === 0) return;
  const ids = new ItemIds(key);
  const kept =
    key === undefined ? list : list.map(asMap).filter((item) => item[directive] !== 'delete');
  let at = 0;
  for (const item of kept) {
    if (isJsonObject(item) && item[directive] !== undefined) continue;
    for (; at < order.length && !isSame(item, order[at] as JsonValue); at++);
    if (at === order.length) {
      throw internal(
        `The order in patch list:\n${goText(list)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
      );
    }
    at++;
  }

  function isSame(item: JsonValue, listed: JsonValue): boolean {
    if (key !== undefined) requireKeys([item, listed], key);
    return ids.of(item) === ids.of(listed);
  }
}

function mergeList(
  { type, mergeKey }: MergeRules,
  list: JsonValue[],
  patch: JsonValue[],
  isDeletion = false,
): JsonValue[] {
  if (list.length === 0 && patch.length === 0) return list;
  if (elementType(list, patch) !== mapType) {
    return isDeletion ? without(list, patch) : mergeScalars(list, patch);
  }
  const item = type.kind === 'list' ? type.item : untyped;
  if (mergeKey === undefined) {
    throw internal(
      `cannot merge lists without merge key for ${item.kind === 'struct' ? 'struct' : 'string'}`,
    );
  }
  return mergeItems(item, mergeKey, list as JsonObject[], patch as JsonObject[]);
}

function without(list: JsonValue[], values: JsonValue[]): JsonValue[] {
  const ids = new ItemIds();
  const gone = ids.places(values);
  return list.filter((item) => !gone.has(ids.of(item)));
}

function mergeScalars(list: JsonValue[], patch: JsonValue[]): JsonValue[] {
  // Of equal values the first one stays; a Set keeps insertion order.
  const known = new Set(list);
  const added = new Set(patch.filter((value) => !known.has(value)));
  return orderItems([...list, ...added], patch, list);
}

/** Merges lists of objects. An item that the list does not have is added as it is. */
function mergeItems(
  type: SchemaType,
  key: string,
  list: JsonObject[],
  patch: JsonObject[],
): JsonValue[] {
  const items = patch.filter((item) => item[directive] === undefined);
  const special = patch.filter((item) => item[directive] !== undefined);
  const merged = new KeyedItems(list, key);
  for (const item of special) {
    if (item[directive] === 'delete') merged.delete(keyOf(item, key));
    else if (item[directive] !== 'replace') throw unknownItemDirective(item);
  }
  if (special.some((item) => item[directive] === 'replace')) {
    requireKeys(items, key);
    return items;
  }
  for (const item of items) {
    const id = keyOf(item, key);
    const previous = merged.get(id);
    merged.set(id, previous === undefined ? item : mergeObject(type, previous, item));
  }
  const all = merged.all();
  requireKeys(all, key);
  return orderItems(all, idsIn(items, key), list, key);
}

function idsIn(items: readonly JsonValue[], key: string | undefined): JsonValue[] {
  return items.map((item) =>
    key !== undefined && isJsonObject(item) ? (item[key] ?? null) : item,
  );
}

function requireKeys(items: readonly JsonValue[], key: string): void {
  for (const item of items) keyOf(asMap(item), key);
}

function keyOf(item: JsonObject, key: string): JsonValue {
  const id = item[key];
  if (id !== undefined) return id;
  throw internal(`map: ${goText(item)} does not contain declared merge key: ${key}`);
}

function asMap(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw internal(`expected a ${mapType}, but received a ${shownType(value)}`);
}

function asList(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw internal(`expected a []interface {}, but received a ${shownType(value ?? null)}`);
}

function shownType(value: JsonValue): string {
  return value === null ? '%!s(<nil>)' : goType(value);
}

/**
 * Returns the value of a patch for which the target has no value of its type: without null, and without the values that
 * carry `$patch`. Returns undefined for such a value itself.
 */
function fresh(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(fresh).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  // A null does not count.
  if ((value[directive] ?? null) !== null) return undefined;
  const plain: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) put(plain, key, fresh(member));
  }
  return plain;
}

const mapType = 'map[string]interface {}';

/** Returns the Go type of the items of two lists, which must be the same. */
function elementType(list: JsonValue[], patch: JsonValue[]): string {
  const [type, ...others] = new Set([...list, ...patch].map(goType));
  if (type === undefined) throw internal('no elements in any of the given slices');
  if (type === '[]interface {}') throw failure(422, 'lists of lists are not supported');
  if (others.length === 0) return type;
  throw internal(`list element types are not identical: ${goText([list, patch])}`);
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonNumber(value)) return Number.isInteger(Number(value)) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : mapType;
}

function unknownItemDirective(item: JsonObject): StatusError {
  const mode = item[directive] ?? null;
  if (mode !== 'merge') return unknownDirective(mode, item);
  return internal('merging lists cannot yet be specified in the patch');
}

function unknownDirective(mode: JsonValue, patch: JsonObject): StatusError {
  return internal(`unknown patch type: ${asText(mode)} in map: ${goText(patch)}`);
}

/** Prints a value as Go's `%s` does. */
function asText(value: JsonValue): string {
  if (typeof value === 'string' || typeof value === 'object') {
    return value === null ? '%!s(<nil>)' : goText(value);
  }
  return `%!s(${goType(value)}=${jsonText(value)})`;
}

function badRequest(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, reason: 'BadRequest', code: 400 });
}

/** kube-apiserver reports these invalid patches as 500. */
function internal(message: string): StatusError {
  return failure(500, message);
}

function failure(code: number, message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code });
}
