import { type KubernetesObject, StatusError } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import type { ListType, Scalar, SchemaType, StructType } from '../schema/schema-type.ts';
import type { PathElement } from './field-set.ts';
import { fieldElement, itemElement, printElement, printPath } from './path-element.ts';

/**
 * Refuses an applied configuration that cannot be merged: unknown fields, values of the wrong type,
 * two items with one key. Ownership needs all of them right, so this holds without field validation too.
 */
export function checkConfiguration(type: SchemaType, applied: KubernetesObject): void {
  if (applied.metadata?.managedFields !== undefined) {
    throw failure(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const errors: string[] = [];
  visit(type, applied as JsonObject, [], errors);
  if (errors.length === 0) return;
  const { apiVersion = '', kind = '', metadata } = applied;
  // As Go prints a version of the core group.
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const name = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${version}, Kind=${kind}`;
  const what = errors.length === 1 ? errors[0] : `errors:\n  ${errors.join('\n  ')}`;
  throw failure(500, undefined, `failed to create typed patch object (${name}): ${what}`);
}

function visit(type: SchemaType, value: JsonValue, path: PathElement[], errors: string[]): void {
  if (value === null || type.kind === 'untyped') return;
  switch (type.kind) {
    case 'scalar':
      checkScalar(type.scalar, value, path, errors);
      return;
    case 'list':
      if (Array.isArray(value)) checkList(type, value, path, errors);
      else errors.push(`${printPath(path)}: expected list, got ${goValue(value)}`);
      return;
    case 'map':
      if (!isJsonObject(value))
        errors.push(`${printPath(path)}: expected map, got ${goValue(value)}`);
      else {
        for (const key of Object.keys(value)) {
          visit(type.value, value[key] as JsonValue, [...path, fieldElement(key)], errors);
        }
      }
      return;
    case 'struct':
      if (isJsonObject(value)) checkStruct(type, value, path, errors);
      else errors.push(`${printPath(path)}: expected map, got ${goValue(value)}`);
  }
}

function checkStruct(
  type: StructType,
  object: JsonObject,
  path: PathElement[],
  errors: string[],
): void {
  for (const key of Object.keys(object)) {
    const field = type.fields.get(key);
    const below = [...path, fieldElement(key)];
    if (field !== undefined) visit(field.type, object[key] as JsonValue, below, errors);
    else if (!type.open) errors.push(`${printPath(below)}: field not declared in schema`);
  }
}

function checkList(type: ListType, list: JsonValue[], path: PathElement[], errors: string[]): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    const element = type.list === 'atomic' ? `i:${index}` : itemElement(type, item);
    if (element === undefined) errors.push(unidentified(type, index, path));
    else if (seen.has(element)) {
      errors.push(`${printPath(path)}: duplicate entries for key ${printElement(element)}`);
    } else {
      seen.add(element);
      visit(type.item, item, [...path, element], errors);
    }
  }
}

function unidentified(type: ListType, index: number, path: PathElement[]): string {
  const keys = type.keys.map((key) => JSON.stringify(key)).join(' ');
  const why =
    type.keys.length === 0
      ? 'associative list without keys has an element that is no scalar'
      : `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
  return `${printPath(path)}: element ${index}: ${why}`;
}

function checkScalar(
  scalar: Scalar,
  value: JsonValue,
  path: PathElement[],
  errors: string[],
): void {
  const found = Array.isArray(value) ? 'array' : typeof value;
  const expected = expectedTypes[scalar];
  if (expected.includes(found)) return;
  const wanted = expected[0] === 'number' ? 'numeric (int or float)' : (expected[0] ?? '');
  const shown = expected[0] === 'number' ? found : goValue(value);
  errors.push(`${printPath(path)}: expected ${wanted}, got ${shown}`);
}

const expectedTypes: Record<Scalar, readonly string[]> = {
  string: ['string'],
  bytes: ['string'],
  time: ['string'],
  microTime: ['string'],
  boolean: ['boolean'],
  int32: ['number'],
  int64: ['number'],
  double: ['number'],
  quantity: ['string', 'number'],
  intOrString: ['string', 'number'],
};

/** A value as Go prints the wrapper it reads JSON into. */
function goValue(value: JsonValue): string {
  return `&{${typeof value === 'string' ? value : JSON.stringify(value)}}`;
}

function failure(code: number, reason: string | undefined, message: string): StatusError {
  return new StatusError({
    status: 'Failure',
    message,
    ...(reason !== undefined && { reason }),
    code,
  });
}
