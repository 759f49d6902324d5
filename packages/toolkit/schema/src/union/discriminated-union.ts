import {
  isJsonObject,
  isNumeric,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { branchRules, rulesOf } from './branch-rules.ts';
import { listOf } from './list-of.ts';
import { isOpen, sharedKeywords } from './shared-keywords.ts';
import { typeOfValues } from './type-of-values.ts';
import { acceptAlike, annotations, joinedAnnotations } from './union-annotations.ts';
import { nameInRules, type Branch, type Place } from './union-branch.ts';

/**
 * Returns one object schema for objects that differ by a constant property, with CEL rules for the properties that
 * only some of them have or require, and for the rules of each. Returns undefined for other objects. Throws
 * `SCHEMA_INVALID` for keywords of one object that the schema of all cannot have.
 */
export function discriminatedUnion(
  choices: readonly JsonObject[],
  path: string,
): JsonObject | undefined {
  if (!choices.every(({ type, properties }) => type === 'object' && isJsonObject(properties))) {
    return undefined;
  }
  const names = Object.keys(choices[0]?.['properties'] ?? {});
  const name = names.find((each) => discriminates(each, choices));
  if (name === undefined) return undefined;
  const branches = choices.map((choice) => branchOf(choice, name));
  const field = nameInRules(name, path);
  const type = typeOfValues(
    branches.flatMap(({ values }) => values),
    `${path}.properties.${name}`,
  );
  const properties = propertiesOf(branches, { name, type, path });
  const shared = Object.keys(properties).filter((each) => isAlwaysRequired(branches, each));
  const place: Place = { branches, field, type, path };
  const rules = [
    ...Object.keys(properties).flatMap((each) => (each === name ? [] : rulesOf(each, place))),
    ...branches.flatMap((branch) => branchRules(branch, place)),
  ];
  return {
    ...sharedKeywords(choices, path),
    type: 'object',
    required: shared,
    properties,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}

function discriminates(name: string, choices: readonly JsonObject[]): boolean {
  const lists = choices.map((choice) => valuesOf(choice, name));
  const values = lists.flat();
  const areScalars = values.every(
    (value) => ['boolean', 'string'].includes(typeof value) || isNumeric(value),
  );
  const areRequired = choices.every(({ required }) => listOf(required).includes(name));
  return (
    lists.every((list) => list.length > 0) &&
    areScalars &&
    areRequired &&
    new Set(values).size === values.length
  );
}

function valuesOf({ properties }: JsonObject, name: string): readonly JsonValue[] {
  const property = isJsonObject(properties) ? ownValue(properties, name) : undefined;
  if (!isJsonObject(property)) return [];
  return property['const'] === undefined ? listOf(property['enum']) : [property['const']];
}

function branchOf(choice: JsonObject, name: string): Branch {
  const { properties, required } = choice;
  return {
    properties: properties as JsonObject,
    required: listOf(required),
    values: valuesOf(choice, name),
    schema: choice,
  };
}

function propertiesOf(
  branches: readonly Branch[],
  { name, type, path }: Discriminator,
): JsonObject {
  const values = branches.flatMap((branch) => branch.values);
  const at = `${path}.properties.${name}`;
  const merged: JsonObject = {
    [name]: { ...discriminatorKeywords(branches, name, at), type, enum: values },
  };
  for (const each of new Set(branches.flatMap(({ properties }) => Object.keys(properties)))) {
    if (each === name) continue;
    setOwn(merged, each, propertyOf(branches, each, `${path}.properties.${each}`));
  }
  return merged;
}

/** The keywords for people of the discriminator. */
function discriminatorKeywords(
  branches: readonly Branch[],
  name: string,
  path: string,
): JsonObject {
  const parts = branches.map(({ properties }) => properties[name] as JsonObject);
  const known = new Set(['const', 'enum', 'type', ...annotations]);
  const other = parts.flatMap((part) => Object.keys(part)).find((each) => !known.has(each));
  if (other === undefined) return joinedAnnotations(parts);
  const reason = 'a keyword of the property that tells the objects of a union apart';
  throw refusal(`${path}.${other}`, reason, `remove ${other}; the property has only its constant`);
}

/** Returns the one schema of a property that several objects of the union may have. */
function propertyOf(branches: readonly Branch[], name: string, path: string): JsonValue {
  const having = branches.filter(({ properties }) => Object.hasOwn(properties, name));
  const schemas = having.map(({ properties }) => properties[name] as JsonValue);
  const [first = true, ...others] = schemas;
  if (others.some((other) => !acceptAlike(first, other))) {
    const cure = 'give the property one schema in every object of the union, or different names';
    throw refusal(path, 'different schemas of one property in a union', cure);
  }
  const isShared = having.length === branches.length;
  const schema = isJsonObject(first) ? first : {};
  if (schema['default'] !== undefined && !isShared) {
    const cure = 'remove the default, or give every object of the union the property';
    throw refusal(path, 'a default that the server would set in every object of the union', cure);
  }
  const isRequired = having.filter(({ required }) => required.includes(name)).length;
  const isCondition = !isShared || (isRequired > 0 && isRequired < branches.length);
  if (isCondition && acceptsNull(schema)) {
    const cure = 'remove null, or require the property in every object of the union';
    throw refusal(
      path,
      'null in a property of some objects of a union, which CEL rules read as missing',
      cure,
    );
  }
  if (!isShared && branches.some(({ schema: branch }) => isOpen(branch))) {
    const cure = 'declare the property in every object of the union, or accept no other members';
    throw refusal(path, 'a property that another object of a union accepts with any value', cure);
  }
  return isJsonObject(first)
    ? { ...first, ...joinedAnnotations(schemas.filter(isJsonObject)) }
    : first;
}

function acceptsNull({
  type,
  nullable,
  anyOf,
  oneOf,
  const: constant,
  enum: values,
}: JsonObject): boolean {
  const choices = [...listOf(anyOf), ...listOf(oneOf)].filter(isJsonObject);
  return (
    nullable === true ||
    constant === null ||
    type === 'null' ||
    listOf(type).includes('null') ||
    listOf(values).includes(null) ||
    choices.some(acceptsNull)
  );
}

function isAlwaysRequired(branches: readonly Branch[], name: string): boolean {
  return branches.every(({ required }) => required.includes(name));
}

/** The property whose values distinguish the objects, and the path of the union. */
interface Discriminator {
  readonly name: string;
  readonly type: string;
  readonly path: string;
}
