import { checkKeywords, checkRuleMembers } from './check-keyword-types.ts';
import { refusal } from './refusal.ts';
import { SchemaBudget } from './schema-budget.ts';
import type { SchemaType, StructuralSchema } from './structural-schema.ts';

const types: readonly string[] = [
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
] satisfies readonly SchemaType[];

/**
 * Throws `SCHEMA_INVALID` for a literal that breaks a rule of structural schemas. `path` names the schema from the
 * call, such as `defineKind.spec`; the error has the path of the invalid part and the cure.
 */
export function checkSchema(schema: unknown, path: string): void {
  visit(schema, path, { parents: [], budget: new SchemaBudget() });
}

interface Place {
  readonly parents: readonly unknown[];
  readonly budget: SchemaBudget;
}

function visit(value: unknown, path: string, { parents, budget }: Place): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(path, 'not a schema', "write an object such as { type: 'string' }");
  }
  if (parents.includes(value)) {
    throw refusal(path, 'contains itself', "use 'x-kubernetes-preserve-unknown-fields': true");
  }
  budget.take(path, parents.length);
  const schema = value as StructuralSchema;
  checkKeywords(schema, path);
  checkType(schema, path);
  checkMembers(schema, path);
  checkList(schema, path);
  checkRules(schema, path);
  const within = { parents: [...parents, value], budget };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    visit(property, `${path}.properties.${name}`, within);
  }
  if (schema.additionalProperties !== undefined) {
    visit(schema.additionalProperties, `${path}.additionalProperties`, within);
  }
  if (schema.items !== undefined) visit(schema.items, `${path}.items`, within);
}

function checkType(schema: StructuralSchema, path: string): void {
  const { type } = schema;
  if (type !== undefined && !types.includes(type)) {
    throw refusal(`${path}.type`, 'unknown type', `use one of ${types.join(' ')}`);
  }
  const preserves: unknown = schema['x-kubernetes-preserve-unknown-fields'];
  const open = preserves === true;
  if (preserves === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    throw refusal(at, 'not true', 'remove it; a schema is closed without it');
  }
  if (schema['x-kubernetes-map-type'] !== undefined && type !== 'object') {
    throw refusal(path, 'a map type of a value that is not an object', "set type: 'object'");
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (type !== undefined) {
      throw refusal(`${path}.type`, 'excluded by x-kubernetes-int-or-string', 'remove the type');
    }
    if (open) {
      const at = `${path}.x-kubernetes-preserve-unknown-fields`;
      throw refusal(at, 'excluded by x-kubernetes-int-or-string', 'remove one of both');
    }
  } else if (type === undefined && !open) {
    throw refusal(path, 'no type', "add a type, or 'x-kubernetes-preserve-unknown-fields': true");
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (type !== 'object') {
      throw refusal(path, 'an embedded resource that is not an object', "set type: 'object'");
    }
    checkEmbedded(schema, path);
    if (!open && Object.keys(schema.properties ?? {}).length === 0) {
      throw refusal(
        path,
        'an embedded resource without properties',
        "add properties or 'x-kubernetes-preserve-unknown-fields': true",
      );
    }
  }
}

const embeddedTypes = { apiVersion: 'string', kind: 'string', metadata: 'object' } as const;

function checkEmbedded(
  { properties = {}, additionalProperties }: StructuralSchema,
  path: string,
): void {
  if (additionalProperties !== undefined) {
    const cure = 'declare the properties, or preserve unknown fields';
    throw refusal(`${path}.additionalProperties`, 'a map as an embedded resource', cure);
  }
  for (const [name, type] of Object.entries(embeddedTypes)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined || property.type === type) continue;
    throw refusal(`${path}.properties.${name}`, `not of the type ${type}`, `set type: '${type}'`);
  }
}

function checkMembers(schema: StructuralSchema, path: string): void {
  const { type, properties, additionalProperties, required = [] } = schema;
  if (type !== 'object' && (properties !== undefined || additionalProperties !== undefined)) {
    throw refusal(path, 'properties of a value that is not an object', "set type: 'object'");
  }
  if (properties !== undefined && additionalProperties !== undefined) {
    throw refusal(
      `${path}.additionalProperties`,
      'excluded by properties',
      'use properties for fixed names, or additionalProperties for a map',
    );
  }
  const missing = required.find((name) => !Object.hasOwn(properties ?? {}, name));
  if (missing !== undefined) {
    throw refusal(`${path}.required`, `names no property: ${missing}`, 'declare the property');
  }
}

function checkList(schema: StructuralSchema, path: string): void {
  const { type, items, 'x-kubernetes-list-type': listType } = schema;
  if (type === 'array' && items === undefined) {
    throw refusal(path, 'an array without items', 'add the schema of its items');
  }
  if (type !== 'array' && (items !== undefined || listType !== undefined)) {
    throw refusal(path, 'list keywords of a value that is not an array', "set type: 'array'");
  }
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType === 'set' && items !== undefined) checkUniqueItems(items, listType, `${path}.items`);
  if (listType !== 'map') {
    if (keys === undefined) return;
    throw refusal(
      `${path}.x-kubernetes-list-map-keys`,
      'keys of a list that is not a map',
      "set 'x-kubernetes-list-type': 'map'",
    );
  }
  if (keys === undefined || keys.length === 0) {
    throw refusal(path, 'a list of type map without keys', "add 'x-kubernetes-list-map-keys'");
  }
  if (items !== undefined) checkUniqueItems(items, listType, `${path}.items`);
  if (new Set(keys).size < keys.length) {
    const at = `${path}.x-kubernetes-list-map-keys`;
    throw refusal(at, 'a key that occurs twice', 'name each key once');
  }
  for (const key of keys) checkMapKey(items, key, `${path}.x-kubernetes-list-map-keys`);
}

/** Items of a set or a map are compared by their value or their keys. */
function checkUniqueItems(items: StructuralSchema, listType: 'map' | 'set', path: string): void {
  if (items.nullable === true) {
    throw refusal(`${path}.nullable`, `null in a list of type ${listType}`, 'remove nullable');
  }
  if (listType === 'map') {
    if (items.type === 'object') return;
    throw refusal(path, 'items of a list of type map that are not objects', "set type: 'object'");
  }
  const isAtomic =
    (items.type !== 'object' || items['x-kubernetes-map-type'] === 'atomic') &&
    (items.type !== 'array' || (items['x-kubernetes-list-type'] ?? 'atomic') === 'atomic');
  if (isAtomic) return;
  const cure =
    "use scalars, or set 'x-kubernetes-map-type' or 'x-kubernetes-list-type' to 'atomic'";
  throw refusal(path, 'items of a set that are not atomic', cure);
}

function checkMapKey(items: StructuralSchema | undefined, key: string, path: string): void {
  const properties = items?.properties ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property === undefined) {
    throw refusal(path, `names no property of the items: ${key}`, 'declare the property');
  }
  if (property.default === undefined && items?.required?.includes(key) !== true) {
    throw refusal(path, `an optional key: ${key}`, 'require the property or give it a default');
  }
  if (property.nullable === true) {
    throw refusal(path, `a key that may be null: ${key}`, 'remove nullable from the property');
  }
  if (property.type === 'array' || property.type === 'object') {
    throw refusal(path, `a key that is not a scalar: ${key}`, 'use a string, number or boolean');
  }
}

function checkRules(schema: StructuralSchema, path: string): void {
  for (const [index, validation] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    checkRuleMembers(validation, at);
    if (typeof validation.rule !== 'string' || validation.rule.trim() === '') {
      throw refusal(
        `${at}.rule`,
        'an empty rule',
        "write a CEL expression such as 'self.min <= self.max'",
      );
    }
  }
}
