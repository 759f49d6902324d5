import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { arrayKeywords } from './array-keywords.ts';
import { inlineReferences } from './inline-references.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { objectKeywords } from './object-keywords.ts';
import { refuseNotedFlags } from '../pattern/pattern-flags.ts';
import type { Convert } from './convert-part.ts';
import { jsonSchemaReading, type Reading } from '../pattern/reading.ts';
import { refuseNotedPart } from './refused-parts.ts';
import { scalarKeywords } from '../scalar/scalar-keywords.ts';
import { typedSchema } from './typed-schema.ts';
import { unionOf } from '../union/union.ts';

/** The structural schema of values that the CRD does not describe. */
const open: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** The structural schema of every value. Without `nullable` the server removes a property that is null. */
const anything: StructuralSchema = { ...open, nullable: true };

/**
 * Converts a JSON Schema (draft 2020-12) to a structural schema by Kubernetes' rules. Throws `SCHEMA_INVALID` with the
 * path and the cure for a part that a CRD cannot express.
 */
export function toStructuralSchema(
  schema: JsonValue,
  path: string,
  reading: Reading = jsonSchemaReading,
): StructuralSchema {
  const convert: Convert = (part, at) => converted(part, at, { convert, reading });
  return convert(isJsonObject(schema) ? inlineReferences(schema, path) : schema, path);
}

interface Conversion {
  readonly convert: Convert;
  readonly reading: Reading;
}

function converted(
  given: JsonValue,
  path: string,
  { convert, reading }: Conversion,
): StructuralSchema {
  if (given === false) throw refusal(path, 'a schema that accepts no value', 'remove the field');
  if (!isJsonObject(given)) return anything;
  const plain = plainSchema(given, path);
  refuseUnsupported(plain, path);
  const schema = typedSchema(plain, path);
  const { keywords, rules } = scalarKeywords(schema, path, reading);
  const all = {
    ...(schema['type'] === undefined && !isIntOrString(schema) && openFor(schema)),
    ...commonKeywords(schema),
    ...keywords,
    ...objectKeywords(schema, path, convert),
    ...arrayKeywords(schema, path, convert),
    ...(rules.length > 0 && { [VALIDATIONS]: [...listOf(schema[VALIDATIONS]), ...rules] }),
  };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as StructuralSchema;
}

/** A keyword of Kubernetes may allow types that the schema of the library does not have, so null is not added then. */
function openFor(schema: JsonObject): StructuralSchema {
  return Object.hasOwn(schema, 'x-kubernetes-preserve-unknown-fields') ? open : anything;
}

const VALIDATIONS = 'x-kubernetes-validations';

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Replaces `allOf` and unions at the top of a schema. */
function plainSchema(given: JsonObject, path: string): JsonObject {
  refuseNotedFlags(given, path);
  refuseNotedPart(given, path);
  const { allOf, anyOf, oneOf, ...rest } = given;
  if (isIntOrString(rest)) return rest;
  let schema: JsonObject = rest;
  for (const part of partsOf(allOf)) {
    schema = mergeSchemas(schema, plainSchema(part, path), path);
  }
  for (const union of [anyOf, oneOf]) {
    if (union === undefined) continue;
    const choices = partsOf(union).map((part) => plainSchema(part, path));
    schema = mergeSchemas(schema, joined(choices, path), path);
  }
  return schema;
}

function partsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.map((part) => (isJsonObject(part) ? part : {})) : [];
}

function joined(choices: readonly JsonObject[], path: string): JsonObject {
  const nullable = choices.some(({ type, nullable: own }) => type === 'null' || own === true);
  const values = choices
    .filter(({ type }) => type !== 'null')
    .map((choice) => {
      const { nullable: _, ...rest } = choice;
      return rest;
    });
  const isOpen = values.some((choice) => Object.keys(choice).length === 0);
  const union = isOpen || values.length === 0 ? {} : unionOf(values, path);
  return { ...union, ...(nullable && { nullable }) };
}

function isIntOrString(schema: JsonObject): boolean {
  return schema['x-kubernetes-int-or-string'] === true;
}

const cures: Readonly<Record<string, string>> = {
  not: "write a CEL rule in 'x-kubernetes-validations'",
  if: "write a CEL rule in 'x-kubernetes-validations'",
  contains: "write a CEL rule such as 'self.exists(item, …)'",
  prefixItems: 'use an object with a property for each position',
  dependentRequired: "write a CEL rule such as '!has(self.a) || has(self.b)'",
  dependentSchemas: "write a CEL rule in 'x-kubernetes-validations'",
  dependencies: "write a CEL rule such as '!has(self.a) || has(self.b)'",
  $dynamicRef: 'use $ref',
};

function refuseUnsupported(schema: JsonObject, path: string): void {
  for (const [name, cure] of Object.entries(cures)) {
    if (schema[name] === undefined) continue;
    throw refusal(`${path}.${name}`, 'a keyword that a structural schema cannot express', cure);
  }
}

const common = ['title', 'description', 'default', 'nullable', 'enum'] as const;

function commonKeywords(schema: JsonObject): StructuralSchema {
  const kept = Object.entries(schema).filter(
    ([name]) => (common as readonly string[]).includes(name) || name.startsWith('x-kubernetes-'),
  );
  const { type, examples } = schema;
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    ...(type !== undefined && { type }),
    ...Object.fromEntries(kept),
    ...(example !== undefined && { example }),
  } as StructuralSchema;
}
