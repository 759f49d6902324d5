import { goNames } from './go-names.ts';
import { type KubernetesObject, StatusError } from '@keelson/apimachinery';
import {
  goText,
  GoValue,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  jsonText,
  type JsonValue,
} from '@keelson/structural-schema';
import {
  type ListType,
  type MapType,
  type Scalar,
  type SchemaType,
  type StructType,
  untyped,
} from '../schema/schema-type.ts';
import type { PathElement } from './fields/field-set.ts';
import { fieldElement, itemElement, printElement, printPath } from './fields/path-element.ts';

/**
 * Rejects an applied configuration that cannot be merged: unknown fields, values of the wrong type, two items with
 * the same key. Ownership depends on this check, so it also runs when field validation is off.
 */
export function checkConfiguration(type: SchemaType, applied: KubernetesObject): void {
  // A client sends `null` to remove the list.
  if ((applied.metadata?.managedFields ?? undefined) !== undefined) {
    throw failure(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const check = new TypeCheck(false);
  check.visit(type, applied as JsonObject, []);
  check.throwFor('patch', applied);
}

/**
 * Rejects an apply to a stored object that no longer matches its schema, because its managed fields cannot be
 * compared. This happens after the schema became stricter. Duplicate items of a set are allowed.
 */
export function checkLive(type: SchemaType, live: JsonObject): void {
  const check = new TypeCheck(true);
  check.visit(type, live, []);
  check.throwFor('live', live);
}

/** True if an object matches its type, so that its fields can have owners. */
export function fitsType(type: SchemaType, object: JsonObject): boolean {
  return typeErrors(type, object, true).length === 0;
}

/** Returns the places where an object does not match its type. `GoValue` leaves match no type. */
export function typeErrors(
  type: SchemaType,
  object: JsonObject,
  allowsDuplicates: boolean,
): readonly string[] {
  const check = new TypeCheck(allowsDuplicates);
  check.visit(type, object, []);
  return check.errors;
}

/** Collects the places where a value does not match its type. */
class TypeCheck {
  readonly errors: string[] = [];
  readonly #allowsDuplicates: boolean;

  constructor(allowsDuplicates: boolean) {
    this.#allowsDuplicates = allowsDuplicates;
  }

  throwFor(role: 'patch' | 'live', object: KubernetesObject): void {
    if (this.errors.length === 0) return;
    const { name } = goNames(object);
    const [first = '', ...others] = this.errors;
    const what = others.length === 0 ? first : `errors:\n  ${this.errors.join('\n  ')}`;
    throw failure(500, undefined, `failed to create typed ${role} object (${name}): ${what}`);
  }

  visit(type: SchemaType, value: JsonValue, path: PathElement[]): void {
    if (value === null) return;
    if (isGoValue(value)) {
      this.#add(path, mismatchOfGoValue(type, value));
      return;
    }
    switch (type.kind) {
      case 'untyped':
        this.#checkUntyped(value, path);
        return;
      case 'scalar':
        if (type.scalar === 'intOrString') this.#checkUntyped(value, path);
        else this.#checkScalar(type.scalar, value, path);
        return;
      case 'list':
        if (Array.isArray(value)) this.#checkList(type, value, path);
        else this.#add(path, `expected list, got ${goValue(value)}`);
        return;
      default:
        if (isJsonObject(value)) this.#checkObject(type, value, path);
        else this.#add(path, `expected map, got ${goValue(value)}`);
    }
  }

  /**
   * Any JSON is valid here, a `GoValue` is not. The published schema of `intOrString` has no type, so that lists and
   * objects match it too; the decoder refuses them.
   */
  #checkUntyped(value: JsonValue, path: PathElement[]): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        this.visit(untyped, item, [...path, `i:${index}`]);
    } else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        this.visit(untyped, inner, [...path, fieldElement(key)]);
      }
    }
  }

  #checkObject(type: StructType | MapType, object: JsonObject, path: PathElement[]): void {
    for (const key of Object.keys(object)) {
      const below = [...path, fieldElement(key)];
      const inner = type.kind === 'map' ? type.value : type.fields.get(key)?.type;
      if (inner !== undefined) this.visit(inner, object[key] as JsonValue, below);
      else if (type.kind === 'map' || !type.open) this.#add(below, 'field not declared in schema');
    }
  }

  /** An item without an identity ends the check of its list, as in structured-merge-diff. */
  #checkList(type: ListType, list: JsonValue[], path: PathElement[]): void {
    const seen = new Set<PathElement>();
    for (const [index, item] of list.entries()) {
      const isIdentified = type.list !== 'atomic' && !isGoValue(item);
      const element = isIdentified ? itemElement(type, item) : atomicElement(type, index);
      if (element === undefined) {
        this.#add(path, `element ${index}: ${unidentified(type, item)}`);
        return;
      }
      if (seen.has(element)) this.#addDuplicate(path, element);
      seen.add(element);
      this.visit(type.item, item, [...path, element]);
    }
  }

  #addDuplicate(path: PathElement[], element: PathElement): void {
    if (this.#allowsDuplicates) return;
    this.#add(path, `duplicate entries for key ${printElement(element)}`);
  }

  #checkScalar(scalar: Scalar, value: JsonValue, path: PathElement[]): void {
    const found = Array.isArray(value) ? 'array' : typeOf(value);
    const expected = expectedTypes[scalar];
    if (expected.includes(found)) return;
    if (expected.length > 1) {
      this.#add(path, `expected any scalar, got ${goValue(value)}`);
      return;
    }
    const wanted = expected[0] === 'number' ? 'numeric (int or float)' : (expected[0] ?? '');
    this.#add(path, `expected ${wanted}, got ${shownFor(wanted, value, found)}`);
  }

  #add(path: PathElement[], what: string): void {
    this.errors.push(`${printPath(path)}: ${what}`);
  }
}

/** An atomic list identifies its items by their index; other lists cannot identify a `GoValue`. */
function atomicElement({ list }: ListType, index: number): PathElement | undefined {
  return list === 'atomic' ? `i:${index}` : undefined;
}

/** A leaf that a mutation of a policy produced. The type of JSON does not have it. */
function isGoValue(value: unknown): value is GoValue {
  return value instanceof GoValue;
}

function mismatchOfGoValue(type: SchemaType, { text, syntax, type: found }: GoValue): string {
  if (type.kind === 'list') return `expected list, got &{${text}}`;
  if (type.kind !== 'scalar') return `expected map, got &{${text}}`;
  const expected = expectedTypes[type.scalar];
  if (expected.length > 1) return `expected any scalar, got &{${text}}`;
  switch (expected[0]) {
    case 'number':
      return `expected numeric (int or float), got ${found}`;
    case 'string':
      return `expected string, got &value.valueUnstructured{Value:${syntax}}`;
    default:
      return `expected boolean, got &{${text}}`;
  }
}

/** Why an item of a set or a keyed list has no identity, in the words of structured-merge-diff. */
function unidentified(type: ListType, item: JsonValue): string {
  if (type.keys.length === 0) {
    if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
    const what = item === null ? 'an explicit null' : 'a map type';
    return `associative list without keys has an element that's ${what}`;
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isJsonObject(item) || isGoValue(item)) {
    return 'associative list with keys may not have non-map elements';
  }
  const keys = type.keys.map((key) => JSON.stringify(key)).join(' ');
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}

/** The types of parsed JSON in Go. */
const goTypes: Readonly<Record<string, string>> = {
  array: '[]interface {}',
  object: 'map[string]interface {}',
  boolean: 'bool',
};

const anyScalar = ['string', 'number', 'boolean'];

/** structured-merge-diff takes any scalar for a string with a format, except `byte`. */
const expectedTypes: Record<Scalar, readonly string[]> = {
  string: ['string'],
  bytes: ['string'],
  formatted: anyScalar,
  time: anyScalar,
  microTime: anyScalar,
  boolean: ['boolean'],
  int32: ['number'],
  int64: ['number'],
  double: ['number'],
  quantity: anyScalar,
  intOrString: anyScalar,
};

function typeOf(value: JsonValue): string {
  return isJsonNumber(value) ? 'number' : typeof value;
}

/**
 * Formats a value of a wrong type as structured-merge-diff does: as its Go type in the place of a number, in Go syntax in
 * the place of a string.
 */
function shownFor(wanted: string, value: JsonValue, found: string): string {
  if (wanted === 'string') return goSyntax(value);
  return wanted === 'boolean' ? goValue(value) : (goTypes[found] ?? found);
}

/** Formats a value like Go's wrapper for parsed JSON (`%v`). */
function goValue(value: JsonValue): string {
  return `&{${goText(value)}}`;
}

/** Formats a value with the names of its members, like Go's `%#v`. */
function goSyntax(value: JsonValue): string {
  return `&value.valueUnstructured{Value:${goLiteral(value)}}`;
}

function goLiteral(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (!isJsonObject(value)) return jsonText(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${goLiteral(value[name])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

function failure(code: number, reason: string | undefined, message: string): StatusError {
  return new StatusError({
    status: 'Failure',
    message,
    ...(reason !== undefined && { reason }),
    code,
  });
}
