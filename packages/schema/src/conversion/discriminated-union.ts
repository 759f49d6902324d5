import {
  escapeFieldName,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** One object type of a union. */
interface Branch {
  readonly properties: JsonObject;
  readonly required: readonly JsonValue[];
  /** The values of the discriminator. */
  readonly values: readonly string[];
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
  const properties = propertiesOf(branches, name, path);
  const shared = Object.keys(properties).filter((each) => isAlwaysRequired(branches, each));
  const rules = Object.keys(properties).flatMap((each) =>
    each === name ? [] : rulesOf(each, { branches, field, path }),
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
  const areTexts = values.every((value) => typeof value === 'string');
  const areRequired = choices.every(({ required }) => listOf(required).includes(name));
  return (
    lists.every((list) => list.length > 0) &&
    areTexts &&
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
    values: valuesOf(choice, name) as readonly string[],
  };
}

function propertiesOf(branches: readonly Branch[], name: string, path: string): JsonObject {
  const merged: JsonObject = {
    [name]: { type: 'string', enum: branches.flatMap(({ values }) => values) },
  };
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

interface Place {
  readonly branches: readonly Branch[];
  /** The discriminator in rules. */
  readonly field: string;
  readonly path: string;
}

function rulesOf(name: string, { branches, field, path }: Place): JsonValue[] {
  const having = branches.filter(({ properties }) => Object.hasOwn(properties, name));
  const requiring = branches.filter(({ required }) => required.includes(name));
  const member = nameInRules(name, path);
  const fieldPath = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
  const rules: JsonValue[] = [];
  if (requiring.length > 0 && requiring.length < branches.length) {
    rules.push({
      rule: `!(self.${field} in ${listIn(requiring)}) || has(self.${member})`,
      message: `is required if ${field} is ${choiceOf(requiring)}`,
      reason: 'FieldValueRequired',
      fieldPath,
    });
  }
  if (having.length < branches.length) {
    rules.push({
      rule: `self.${field} in ${listIn(having)} || !has(self.${member})`,
      message: `is allowed only if ${field} is ${choiceOf(having)}`,
      reason: 'FieldValueForbidden',
      fieldPath,
    });
  }
  return rules;
}

function listIn(branches: readonly Branch[]): string {
  return JSON.stringify(branches.flatMap(({ values }) => values));
}

function choiceOf(branches: readonly Branch[]): string {
  return branches.flatMap(({ values }) => values).join(' or ');
}

function nameInRules(name: string, path: string): string {
  const escaped = escapeFieldName(name);
  if (escaped !== undefined) return escaped;
  const cure = 'use letters, digits, dashes and underscores in the names of a union';
  throw refusal(`${path}.properties.${name}`, 'a name that CEL rules cannot read', cure);
}
