import {
  childPath,
  type FieldPath,
  indexPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { objectAt, objectsAt } from '../../json/json-members.ts';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { clearEmptyFields } from '../../schema/clear-empty-fields.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { decode } from '../../schema/decode.ts';
import { prune } from '../../schema/prune.ts';

/**
 * Decodes the schemas in a definition that its type table describes as any value, because they may also be a boolean or a
 * list: those of items, of values of maps, and of dependencies.
 */
export function decodeNestedSchemas(definition: JsonObject): void {
  const type = builtinStruct('apiextensions.v1.JSONSchemaProps');
  for (const { schema, path } of nestedSchemas(definition)) {
    if (isJsonObject(schema)) {
      decode(type, schema);
      clearEmptyFields(type, schema);
    } else if (path.endsWith('additionalProperties') && typeof schema !== 'boolean') {
      throw new DecodeError('boolean or JSON schema expected');
    }
  }
}

/** Removes the unknown keywords of these schemas, and returns their paths. */
export function pruneNestedSchemas(definition: JsonObject): string[] {
  const removed: string[] = [];
  const type = builtinStruct('apiextensions.v1.JSONSchemaProps');
  for (const { schema, path } of nestedSchemas(definition)) {
    removed.push(...prune(type, schema).map((each) => childPath(path, each)));
  }
  return removed;
}

interface PlacedSchema {
  readonly schema: JsonValue;
  readonly path: FieldPath;
}

/** Yields outer schemas before inner ones, so that a caller may change each. */
function* nestedSchemas(definition: JsonObject): Generator<PlacedSchema, void, undefined> {
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  for (const [index, version] of versions.entries()) {
    const path = `${indexPath('spec.versions', index)}.schema.openAPIV3Schema`;
    yield* below(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'), path);
  }
}

const lists = ['allOf', 'anyOf', 'oneOf'];
const maps = ['properties', 'patternProperties', 'definitions'];
const untyped = ['items', 'additionalProperties', 'additionalItems'];

function* below(schema: JsonObject, path: FieldPath): Generator<PlacedSchema, void, undefined> {
  const isMember = (name: string): boolean => schema[name] !== undefined && schema[name] !== null;
  for (const name of [...lists, ...maps, 'not'].filter(isMember)) {
    yield* insideOf(schema[name] as JsonValue, childPath(path, name), maps.includes(name), false);
  }
  for (const name of untyped.filter(isMember)) {
    yield* insideOf(schema[name] as JsonValue, childPath(path, name), false, true);
  }
  if (isJsonObject(schema['dependencies'])) {
    for (const [name, each] of Object.entries(schema['dependencies'])) {
      if (isJsonObject(each))
        yield* insideOf(each, `${childPath(path, 'dependencies')}.${name}`, false, true);
    }
  }
}

/** Yields the schemas inside a schema, a list or a map of schemas, and these themselves if the type table lacks them. */
function* insideOf(
  value: JsonValue,
  path: FieldPath,
  isMap: boolean,
  isNested: boolean,
): Generator<PlacedSchema, void, undefined> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      yield* insideOf(each, indexPath(path, index), false, isNested);
    }
    return;
  }
  if (isMap && isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      yield* insideOf(each, childPath(path, name), false, isNested);
    }
    return;
  }
  if (isNested) yield { schema: value, path };
  if (isJsonObject(value)) yield* below(value, path);
}
