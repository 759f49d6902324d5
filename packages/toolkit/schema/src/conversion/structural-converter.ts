import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { arrayKeywords } from './array-keywords.ts';
import { inlineReferences } from './inline-references.ts';
import { checkKeywords } from './known-keywords.ts';
import { objectKeywords } from './object-keywords.ts';
import type { Convert } from './convert-part.ts';
import { jsonSchemaReading, type Reading } from '../pattern/reading.ts';
import { plainSchema } from './plain-schema.ts';
import { scalarKeywords } from '../scalar/scalar-keywords.ts';
import { typedSchema } from './typed-schema.ts';

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
  const schema = typedSchema(plain, path);
  checkKeywords(schema, path);
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

function isIntOrString(schema: JsonObject): boolean {
  return schema['x-kubernetes-int-or-string'] === true;
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
