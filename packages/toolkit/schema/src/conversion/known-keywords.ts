import { jsonText, type JsonObject, ownValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { annotations } from '../union/union-annotations.ts';

/** The keywords of every type. */
const common: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'default',
  'nullable',
  'example',
  ...annotations,
]);

const text = ['minLength', 'maxLength', 'pattern', 'format'];
const number = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'format',
];

/** The keywords of one type, which have no meaning for the values of others. */
const ofType: Readonly<Record<string, readonly string[]>> = {
  string: text,
  integer: number,
  number,
  array: ['items', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'unevaluatedProperties',
    'minProperties',
    'maxProperties',
  ],
};

/** The keywords that an integer or a string has in a CRD. */
const ofIntOrString: ReadonlySet<string> = new Set([...text, 'minimum', 'maximum']);

const cures: ReadonlyMap<string, string> = new Map([
  ['not', "write a CEL rule in 'x-kubernetes-validations'"],
  ['if', "write a CEL rule in 'x-kubernetes-validations'"],
  ['contains', "write a CEL rule such as 'self.exists(item, …)'"],
  ['prefixItems', 'use an object with a property for each position'],
  ['dependentRequired', "write a CEL rule such as '!has(self.a) || has(self.b)'"],
  ['dependentSchemas', "write a CEL rule in 'x-kubernetes-validations'"],
  ['dependencies', "write a CEL rule such as '!has(self.a) || has(self.b)'"],
  ['$dynamicRef', 'use $ref'],
  ['unevaluatedItems', 'remove it; a list has one schema for its items'],
]);

/**
 * Throws `SCHEMA_INVALID` for a keyword that the conversion does not carry over: an unknown one, one that a structural
 * schema cannot express, or one of another type. Keywords for people and those that begin with `x-` have no effect on values.
 */
export function checkKeywords(schema: JsonObject, path: string): void {
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || name.startsWith('x-') || isKnown(name, schema)) continue;
    throw refusal(`${path}.${name}`, reasonOf(name, schema), cureOf(name, schema));
  }
  const { unevaluatedProperties: values } = schema;
  if (values === undefined || values === false) return;
  const cure =
    'use additionalProperties, or put the other values into a map in a property of their own';
  throw refusal(`${path}.unevaluatedProperties`, 'values beside the declared properties', cure);
}

function isKnown(name: string, schema: JsonObject): boolean {
  if (common.has(name)) return true;
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return ofIntOrString.has(name);
  return typeof type === 'string' && (ownValue(ofType, type) ?? []).includes(name);
}

function reasonOf(name: string, { type, ...schema }: JsonObject): string {
  const isOfOtherType = Object.values(ofType).some((names) => names.includes(name));
  if (!isOfOtherType) return 'a keyword that a structural schema cannot express';
  if (schema['x-kubernetes-int-or-string'] === true) return 'a keyword that an int-or-string lacks';
  return type === undefined
    ? 'a keyword without a type, which concerns the values of one type only'
    : `a keyword that has no meaning for the type ${jsonText(type)}`;
}

function cureOf(name: string, { type, ...schema }: JsonObject): string {
  const known = cures.get(name);
  if (known !== undefined) return known;
  const [own] = Object.entries(ofType).find(([, names]) => names.includes(name)) ?? [];
  if (own === undefined)
    return "remove it, correct its spelling, or begin the name of your own keyword with 'x-'";
  if (schema['x-kubernetes-int-or-string'] === true) {
    return "write a CEL rule such as 'type(self) == string || self > 2'";
  }
  return type === undefined ? `add type: '${own}'` : 'remove it, or correct the type';
}
