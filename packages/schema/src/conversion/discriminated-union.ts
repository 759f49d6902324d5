import {
  escapeFieldName,
  isJsonObject,
  isNumeric,
  jsonEquals,
  jsonText,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { typeOfValues } from './type-of-values.ts';

/** One object type of a union. */
interface Branch {
  readonly properties: JsonObject;
  readonly required: readonly JsonValue[];
  /** The values of the discriminator. */
  readonly values: readonly JsonValue[];
}

/**
 * Returns one object schema for objects that a constant property tells apart, with CEL rules for the properties that
 * only some of them have or require. Returns undefined for other objects.
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
  const rules = Object.keys(properties).flatMap((each) =>
    each === name ? [] : rulesOf(each, { branches, field, type, path }),
  );
  return {
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
  const property = isJsonObject(properties) ? properties[name] : undefined;
  if (!isJsonObject(property)) return [];
  return property['const'] === undefined ? listOf(property['enum']) : [property['const']];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function branchOf(choice: JsonObject, name: string): Branch {
  const { properties, required } = choice;
  return {
    properties: properties as JsonObject,
    required: listOf(required),
    values: valuesOf(choice, name),
  };
}

function propertiesOf(
  branches: readonly Branch[],
  { name, type, path }: Discriminator,
): JsonObject {
  const values = branches.flatMap((branch) => branch.values);
  const merged: JsonObject = { [name]: { type, enum: values } };
  for (const [each, schema] of branches.flatMap(({ properties }) => Object.entries(properties))) {
    if (each === name) continue;
    const at = `${path}.properties.${each}`;
    if (merged[each] !== undefined && !jsonEquals(merged[each], schema)) {
      const cure = 'give the property one schema in every object of the union, or different names';
      throw refusal(at, 'different schemas of one property in a union', cure);
    }
    const isShared = branches.every(({ properties }) => Object.hasOwn(properties, each));
    if (isJsonObject(schema) && schema['default'] !== undefined && !isShared) {
      const cure = 'remove the default, or give every object of the union the property';
      throw refusal(at, 'a default that the server would set in every object of the union', cure);
    }
    merged[each] = schema;
  }
  return merged;
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

interface Place {
  readonly branches: readonly Branch[];
  /** The discriminator in rules. */
  readonly field: string;
  /** The type of the discriminator. */
  readonly type: string;
  readonly path: string;
}

function rulesOf(name: string, { branches, field, type, path }: Place): JsonValue[] {
  const having = branches.filter(({ properties }) => Object.hasOwn(properties, name));
  const requiring = branches.filter(({ required }) => required.includes(name));
  const member = nameInRules(name, path);
  const fieldPath = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
  const rules: JsonValue[] = [];
  if (requiring.length > 0 && requiring.length < branches.length) {
    rules.push({
      rule: `!(self.${field} in ${listIn(requiring, type)}) || has(self.${member})`,
      message: `is required if ${field} is ${choiceOf(requiring)}`,
      reason: 'FieldValueRequired',
      fieldPath,
    });
  }
  if (having.length < branches.length) {
    rules.push({
      rule: `self.${field} in ${listIn(having, type)} || !has(self.${member})`,
      message: `is allowed only if ${field} is ${choiceOf(having)}`,
      reason: 'FieldValueForbidden',
      fieldPath,
    });
  }
  return rules;
}

/** The values as a list of CEL, whose literals of type double have a fraction or an exponent. */
function listIn(branches: readonly Branch[], type: string): string {
  const literals = branches
    .flatMap(({ values }) => values)
    .map((value) => {
      const text = jsonText(value);
      return type === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
    });
  return `[${literals.join(',')}]`;
}

function choiceOf(branches: readonly Branch[]): string {
  return branches
    .flatMap(({ values }) => values)
    .map(String)
    .join(' or ');
}

function nameInRules(name: string, path: string): string {
  const escaped = escapeFieldName(name);
  if (escaped !== undefined) return escaped;
  const cure = 'use letters, digits, dashes and underscores in the names of a union';
  throw refusal(`${path}.properties.${name}`, 'a name that CEL rules cannot read', cure);
}
