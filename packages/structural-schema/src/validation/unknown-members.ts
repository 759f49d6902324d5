import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';
import type { JsonSchema } from './json-schema.ts';

/** A member of an object that its schema does not declare and the server would prune. */
export interface UnknownMember {
  readonly path: FieldPath;
  readonly object: JsonObject;
  readonly name: string;
}

/** Returns the members of a value that kube-apiserver prunes, in the order of the value. */
export function unknownMembers(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
): UnknownMember[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => unknownMembers(items, item, indexPath(path, index)));
  }
  if (!isJsonObject(value) || schema['x-kubernetes-int-or-string'] === true) return [];
  return Object.keys(value).flatMap((name) => membersAt(schema, value, name, path));
}

function membersAt(
  schema: JsonSchema,
  object: JsonObject,
  name: string,
  parent: FieldPath,
): UnknownMember[] {
  const path = childPath(parent, name);
  const { properties = {}, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const below = ownValue(properties, name) ?? values;
  if (below !== undefined) return unknownMembers(below, object[name] as JsonValue, path);
  return isKept(schema, name) ? [] : [{ path, object, name }];
}

const ofEmbedded: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function isKept(schema: JsonSchema, name: string): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  if (schema.additionalProperties === true) return true;
  return schema['x-kubernetes-embedded-resource'] === true && ofEmbedded.has(name);
}
