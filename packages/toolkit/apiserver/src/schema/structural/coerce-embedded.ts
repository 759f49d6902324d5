import { goKind } from '../../json/json-syntax-error.ts';
import {
  childPath,
  cloneJson,
  type FieldPath,
  indexPath,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  keyPath,
  jsonText,
  ownValue,
  sortMembers,
} from '@keelson/structural-schema';
import { objectMetaType } from '../builtin-types.ts';
import { DecodeError } from '../decode-error.ts';
import { decode } from '../decode.ts';
import { prune } from '../prune.ts';

/**
 * Decodes the type and the metadata of each object with `x-kubernetes-embedded-resource` in place, as Go types. Throws
 * `DecodeError` for a value of another type.
 */
export function coerceEmbedded(schema: JsonSchema, value: JsonValue, path: FieldPath): void {
  for (const each of embeddedObjects(schema, value, path)) coerceObject(each);
}

/** As `coerceEmbedded` and `pruneEmbedded`, but returns the message of the error. */
export function decodeEmbedded(schema: JsonSchema, value: JsonValue): string | undefined {
  try {
    coerceEmbedded(schema, value, '');
    pruneEmbedded(schema, value, '');
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  return undefined;
}

/** Removes the unknown fields of the metadata of these objects, and returns their paths. */
export function pruneEmbedded(schema: JsonSchema, value: JsonValue, path: FieldPath): string[] {
  return [...embeddedObjects(schema, value, path)].flatMap(({ object, path: place }) =>
    prune(objectMetaType(), ownValue(object, 'metadata')).map((each) =>
      childPath(childPath(place, 'metadata'), each),
    ),
  );
}

interface PlacedObject {
  readonly schema: JsonSchema;
  readonly object: JsonObject;
  readonly path: FieldPath;
}

/** Yields outer objects before inner ones. */
function* embeddedObjects(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
): Generator<PlacedObject, void, undefined> {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      yield* embeddedObjects(items, item, indexPath(path, index));
    }
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema['x-kubernetes-embedded-resource'] === true) yield { schema, object: value, path };
  const { properties = {}, additionalProperties: values } = schema;
  for (const name of Object.keys(value)) {
    const member = value[name] as JsonValue;
    const declared = ownValue(properties, name);
    if (declared !== undefined) yield* embeddedObjects(declared, member, childPath(path, name));
    else if (typeof values === 'object')
      yield* embeddedObjects(values, member, keyPath(path, name));
  }
}

function coerceObject({ schema, object, path }: PlacedObject): void {
  for (const name of ['apiVersion', 'kind']) {
    const value = ownValue(object, name);
    if (value === undefined || typeof value === 'string') continue;
    throw refused(childPath(path, name), value, 'must be a string');
  }
  const metadata = ownValue(object, 'metadata');
  if (metadata === undefined) return;
  // A declared member that is null takes its default or is dropped later.
  const declared = ownValue(schema.properties ?? {}, 'metadata');
  if (metadata === null && declared !== undefined && declared.nullable !== true) return;
  const decoded = metadata === null ? {} : cloneJson(metadata);
  const place = childPath(path, 'metadata');
  if (!isJsonObject(decoded)) {
    const why = `json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`;
    throw refused(place, metadata, why);
  }
  try {
    decode(objectMetaType(), decoded);
  } catch (error) {
    throw error instanceof DecodeError ? refused(place, metadata, error.message) : error;
  }
  if (decoded['creationTimestamp'] === null) delete decoded['creationTimestamp'];
  // Only in a request an empty list of managers differs from none.
  const { managedFields } = decoded;
  if (Array.isArray(managedFields) && managedFields.length === 0) delete decoded['managedFields'];
  // An unchanged object may be a frozen part of a stored one.
  if (!jsonEquals(decoded, metadata)) object['metadata'] = decoded;
}

function refused(path: FieldPath, value: JsonValue, why: string): DecodeError {
  return new DecodeError(`${path}: Invalid value: ${jsonText(sortMembers(value))}: ${why}`);
}
