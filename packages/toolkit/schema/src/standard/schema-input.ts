import type { JsonValue } from '@keelson/structural-schema';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import type { InputTypeOf, TypeOf } from '../literal/type-of.ts';
import type { KeywordsByPath } from './keywords-by-path.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { isStandardSchema, type StandardSchema } from './standard-schema.ts';
import { jsonSchemaReading, type Reading } from '../pattern/reading.ts';
import { toStructuralSchema } from '../conversion/structural-converter.ts';
import { arktypeUnicodePatterns } from './arktype-nodes.ts';
import {
  isTypeBoxSchema,
  typeboxJson,
  type TypeBoxOf,
  type TypeBoxSchema,
} from './typebox-schema.ts';

/** A schema of `spec` or `status`: a structural literal, or a schema of zod, valibot, ArkType or TypeBox. */
export type SchemaInput = StructuralSchema | StandardSchema | TypeBoxSchema;

/** The TypeScript type of the values of a schema: of a library's schema its output. */
export type ValueOf<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends TypeBoxSchema
      ? TypeBoxOf<S>
      : TypeOf<S>;

/**
 * The TypeScript type of the values that may be submitted: of a library's schema its input. TypeBox has no types of
 * defaults.
 */
export type InputValueOf<S> =
  S extends StandardSchema<infer Input, infer _Output>
    ? Input
    : S extends TypeBoxSchema
      ? TypeBoxOf<S>
      : InputTypeOf<S>;

/** Returns the structural schema; a literal is returned as it is. `keywords` has the defaults that a library omits. */
export function structuralSchemaOf(
  schema: SchemaInput,
  path: string,
  keywords: KeywordsByPath,
): StructuralSchema {
  if (isStandardSchema(schema)) {
    return toStructuralSchema(jsonSchemaOf(schema, path, keywords), path, readingOf(schema));
  }
  if (!isTypeBoxSchema(schema)) return schema;
  const legacy = new Set<string>();
  const json = typeboxJson(schema as unknown as JsonValue, legacy);
  const isUnicode = (source: string): boolean => !legacy.has(source);
  return toStructuralSchema(json, path, { ...jsonSchemaReading, isUnicode });
}

/** The libraries count the code units of texts; their JSON Schema omits the flag `u` unless it is noted. */
function readingOf(schema: StandardSchema): Reading {
  const { vendor } = schema['~standard'];
  const { json } = schema as { readonly json?: JsonValue };
  const unicode = vendor === 'arktype' ? arktypeUnicodePatterns(json ?? null) : new Set<string>();
  return { vendor, countsUnits: true, isUnicode: (source) => unicode.has(source) };
}
