import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@keelson/apimachinery';
import {
  cloneJson,
  isJsonObject,
  jsonEquals,
  ownValue,
  PatternMatcher,
  setOwn,
  sortMembers,
  validateValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from '@keelson/structural-schema';
import { jsonCopy } from '../parse/json-copy.ts';
import { itemSchema, mapKeysOf, memberSchema } from './schema-parts.ts';
import type { VersionPair } from './version-pair.ts';

/** kube-apiserver's limit of all annotations of an object: the bytes of their names and values. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Members that are not converted. */
const UNCONVERTED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The name of a member, or the keys of an item of a list of the type `map`. */
type PathPart = string | JsonObject;

/** A place at which a conversion there and back gives something else than the object had. */
interface KeptField {
  readonly path: readonly PathPart[];
  /** The value of the object; missing if it had none. */
  readonly value?: JsonValue;
  /** The digest of the value that the conversion gives; missing if it gives none. */
  readonly base?: string;
  /** The index of an item that the conversion drops. */
  readonly at?: number;
}

type Run = (object: KubernetesObject, versions: VersionPair) => KubernetesObject;

/**
 * Keeps in an annotation what a conversion there and back would change, by the version of the object that had it. On the
 * way back a field is restored if its place has the value that the conversion gave at first. Otherwise it was changed
 * meanwhile, and the change wins.
 */
export class KeptFields {
  readonly #annotation: string;
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  readonly #patterns = new PatternMatcher();

  /** `schemas` are those of the versions. */
  constructor(annotation: string, schemas: ReadonlyMap<string, JsonSchema>) {
    this.#annotation = annotation;
    this.#schemas = schemas;
  }

  /** Converts by `run`, which sees no annotation. Throws if the annotations of the result would be too large. */
  convert(object: KubernetesObject, versions: VersionPair, run: Run): KubernetesObject {
    const { from, to } = versions;
    const kept = keptIn(object.metadata?.annotations?.[this.#annotation]);
    const original = this.#withNote(object, new Map());
    const converted = run(original, versions);
    for (const field of kept.get(to) ?? []) this.#restore(converted, field, to);
    const back = run(converted, { from: to, to: from });
    const lost = [...differences(original, back, { schema: this.#schemas.get(from), path: [] })];
    kept.delete(to);
    kept.delete(from);
    if (lost.length > 0) kept.set(from, lost);
    return this.#withNote(converted, kept);
  }

  /** Sets a kept field in the object unless its place was changed, or the schema refuses it. */
  #restore(object: KubernetesObject, { path, value, base, at }: KeptField, version: string): void {
    const place = placeOf(object as JsonObject, path, this.#schemas.get(version));
    if (place === undefined) return;
    const present = place.value();
    const isUnchanged = present === undefined ? base === undefined : digestOf(present) === base;
    if (!isUnchanged) return;
    if (value === undefined) {
      if (!place.isRequired) place.remove();
    } else if (this.#accepts(place.schema, value)) {
      place.set(cloneJson(value), at);
    }
  }

  /** A client can write the annotation, so that its values need not fit. */
  #accepts(schema: JsonSchema | undefined, value: JsonValue): boolean {
    if (schema === undefined || jsonCopy(value).causes.length > 0) return false;
    return validateValue(schema, cloneJson(value), '', this.#patterns).length === 0;
  }

  #withNote(
    object: KubernetesObject,
    kept: ReadonlyMap<string, readonly KeptField[]>,
  ): KubernetesObject {
    const { annotations: given, ...metadata } = object.metadata ?? {};
    const { [this.#annotation]: former, ...annotations } = given ?? {};
    if (kept.size > 0) {
      annotations[this.#annotation] = JSON.stringify(Object.fromEntries(kept));
      this.#checkSize(annotations);
    }
    const isLeft = given === undefined || former !== undefined;
    if (isLeft && Object.keys(annotations).length === 0) return { ...object, metadata };
    return { ...object, metadata: { ...metadata, annotations } };
  }

  #checkSize(annotations: Readonly<Record<string, string>>): void {
    const bytes = Object.entries(annotations)
      .map(([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value))
      .reduce((sum, each) => sum + each, 0);
    if (bytes <= MAX_ANNOTATION_BYTES) return;
    throw new Error(
      `the annotations would have ${bytes} bytes with ${this.#annotation}, and at most ${MAX_ANNOTATION_BYTES} are allowed`,
    );
  }
}

interface DifferenceScope {
  readonly schema: JsonSchema | undefined;
  readonly path: readonly PathPart[];
}

/** Finds the places at which the object and its conversion there and back differ. */
function* differences(
  object: KubernetesObject,
  back: KubernetesObject,
  scope: DifferenceScope,
): Generator<KeptField> {
  yield* memberDifferences(contentOf(object), contentOf(back), scope);
}

function contentOf(object: object): JsonObject {
  const members = Object.entries<JsonValue>(object as JsonObject);
  return Object.fromEntries(members.filter(([name]) => !UNCONVERTED.has(name)));
}

function* valueDifferences(
  value: JsonValue | undefined,
  back: JsonValue | undefined,
  scope: DifferenceScope,
): Generator<KeptField> {
  if (value === undefined || back === undefined ? value === back : jsonEquals(value, back)) return;
  if (isJsonObject(value) && isJsonObject(back)) {
    yield* memberDifferences(value, back, scope);
    return;
  }
  const keys = mapKeysOf(scope.schema);
  if (keys !== undefined && isItems(value, keys) && isItems(back, keys)) {
    yield* itemDifferences(value, back, { ...scope, keys });
    return;
  }
  yield {
    path: scope.path,
    ...(value !== undefined && { value }),
    ...(back !== undefined && { base: digestOf(back) }),
  };
}

function* memberDifferences(
  value: JsonObject,
  back: JsonObject,
  { schema, path }: DifferenceScope,
): Generator<KeptField> {
  for (const name of new Set([...Object.keys(value), ...Object.keys(back)])) {
    yield* valueDifferences(ownValue(value, name), ownValue(back, name), {
      schema: memberSchema(schema, name),
      path: [...path, name],
    });
  }
}

/** Compares the items of two lists by their keys. */
function* itemDifferences(
  value: readonly JsonObject[],
  back: readonly JsonObject[],
  { schema, path, keys }: DifferenceScope & { readonly keys: readonly string[] },
): Generator<KeptField> {
  const scopeOf = (item: JsonObject): DifferenceScope => ({
    schema: itemSchema(schema),
    path: [...path, keysOf(item, keys)],
  });
  for (const [at, item] of value.entries()) {
    const scope = scopeOf(item);
    const other = itemWith(back, keysOf(item, keys));
    if (other === undefined) yield { path: scope.path, value: item, at };
    else yield* valueDifferences(item, other, scope);
  }
  for (const item of back) {
    if (itemWith(value, keysOf(item, keys)) !== undefined) continue;
    yield { path: scopeOf(item).path, base: digestOf(item) };
  }
}

/** A place in an object that has a parent. */
interface Place {
  readonly schema: JsonSchema | undefined;
  readonly isRequired: boolean;
  readonly value: () => JsonValue | undefined;
  readonly set: (value: JsonValue, at: number | undefined) => void;
  readonly remove: () => void;
}

/** Follows a path; undefined if the object has no parent for its last part. */
function placeOf(
  object: JsonObject,
  path: readonly PathPart[],
  root: JsonSchema | undefined,
): Place | undefined {
  let parent: JsonValue | undefined = object;
  let schema = root;
  const last = path.at(-1);
  for (const part of path.slice(0, -1)) {
    parent = valueAt(parent, part);
    schema = schemaAt(schema, part);
  }
  if (last === undefined) return undefined;
  if (typeof last === 'string') {
    return isJsonObject(parent) ? memberPlace(parent, last, schema) : undefined;
  }
  return Array.isArray(parent) ? itemPlace(parent, last, schema) : undefined;
}

function memberPlace(parent: JsonObject, name: string, schema: JsonSchema | undefined): Place {
  return {
    schema: memberSchema(schema, name),
    isRequired: schema?.required?.includes(name) === true,
    value: () => ownValue(parent, name),
    set: (value) => setOwn(parent, name, value),
    remove: () => delete parent[name],
  };
}

function itemPlace(parent: JsonValue[], keys: JsonObject, schema: JsonSchema | undefined): Place {
  const indexOf = (): number => parent.findIndex((item) => hasKeys(item, keys));
  return {
    schema: itemSchema(schema),
    isRequired: false,
    value: () => parent[indexOf()],
    set(value, at = parent.length) {
      const index = indexOf();
      if (index === -1) parent.splice(at, 0, value);
      else parent[index] = value;
    },
    remove: () => parent.splice(indexOf(), 1),
  };
}

function valueAt(parent: JsonValue | undefined, part: PathPart): JsonValue | undefined {
  if (typeof part === 'string') return isJsonObject(parent) ? ownValue(parent, part) : undefined;
  return Array.isArray(parent) ? itemWith(parent, part) : undefined;
}

function schemaAt(schema: JsonSchema | undefined, part: PathPart): JsonSchema | undefined {
  return typeof part === 'string' ? memberSchema(schema, part) : itemSchema(schema);
}

function itemWith<T extends JsonValue>(items: readonly T[], keys: JsonObject): T | undefined {
  return items.find((item) => hasKeys(item, keys));
}

function hasKeys(item: JsonValue, keys: JsonObject): boolean {
  return isJsonObject(item) && jsonEquals(keysOf(item, Object.keys(keys)), keys);
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  for (const name of names) {
    const value = ownValue(item, name);
    if (value !== undefined) setOwn(keys, name, value);
  }
  return keys;
}

/** Whether a value is a list of objects whose keys are all there and differ. */
function isItems(value: JsonValue | undefined, keys: readonly string[]): value is JsonObject[] {
  if (!Array.isArray(value) || !value.every((item) => isJsonObject(item))) return false;
  const found = value.map((item) => keysOf(item, keys));
  const isComplete = found.every((each) => Object.keys(each).length === keys.length);
  return isComplete && new Set(found.map((each) => JSON.stringify(each))).size === value.length;
}

/** Identifies a value, so that the annotation need not have it. */
function digestOf(value: JsonValue): string {
  const text = JSON.stringify(sortMembers(cloneJson(value)));
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Reads the annotation. One that a client has broken keeps nothing, because an object must stay readable. */
function keptIn(note: string | undefined): Map<string, readonly KeptField[]> {
  const read = note === undefined ? {} : parsed(note);
  const versions = isJsonObject(read) ? Object.entries(read) : [];
  return new Map(
    versions.filter((entry): entry is [string, JsonValue & KeptField[]] => isKept(entry[1])),
  );
}

function parsed(note: string): unknown {
  try {
    return JSON.parse(note);
  } catch {
    return {};
  }
}

function isKept(value: unknown): value is readonly KeptField[] {
  return Array.isArray(value) && value.every((field) => isKeptField(field));
}

function isKeptField(value: unknown): value is KeptField {
  if (!isJsonObject(value)) return false;
  const { path, base, at } = value;
  const [first] = Array.isArray(path) ? path : [];
  return (
    typeof first === 'string' &&
    !UNCONVERTED.has(first) &&
    (path as readonly unknown[]).every((part) => typeof part === 'string' || isJsonObject(part)) &&
    (base === undefined || typeof base === 'string') &&
    (at === undefined || (Number.isSafeInteger(at) && Number(at) >= 0))
  );
}
