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
  return membersIn(schema, value, path, false);
}

/**
 * Without a schema every member is unknown. `isKept` applies to the items of a list that keeps unknown members, whose own
 * schema does not.
 */
function membersIn(
  schema: JsonSchema | undefined,
  value: JsonValue,
  path: FieldPath,
  isKept: boolean,
): UnknownMember[] {
  const keeps = isKept || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const items = schema?.items;
    if (items === undefined && keeps) return [];
    return value.flatMap((item, index) => membersIn(items, item, indexPath(path, index), keeps));
  }
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((name) =>
    membersAt(schema ?? {}, value, name, { path, keeps }),
  );
}

function membersAt(
  schema: JsonSchema,
  object: JsonObject,
  name: string,
  parent: { readonly path: FieldPath; readonly keeps: boolean },
): UnknownMember[] {
  if (schema['x-kubernetes-embedded-resource'] === true && ofEmbedded.has(name)) return [];
  const path = childPath(parent.path, name);
  const { properties = {}, additionalProperties: values } = schema;
  const declared = ownValue(properties, name);
  if (declared === undefined && values === undefined) {
    return parent.keeps ? [] : [{ path, object, name }];
  }
  // A map of any values keeps its scalar values, and prunes all members of the others.
  const below = declared ?? (typeof values === 'object' ? values : undefined);
  return membersIn(below, object[name] as JsonValue, path, false);
}

const ofEmbedded: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
