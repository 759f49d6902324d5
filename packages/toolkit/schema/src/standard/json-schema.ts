import {
  isJsonObject,
  jsonEquals,
  jsonText,
  ownValue,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { refusal } from '../literal/refusal.ts';
import { SchemaBudget } from '../literal/schema-budget.ts';
import { refuseArktypeFlags } from './arktype-flags.ts';
import type { KeywordsByPath } from './keywords-by-path.ts';
import { conversionOptions } from './library-parts.ts';
import type { StandardSchema } from './standard-schema.ts';

/**
 * Returns the JSON Schema of the library's output. Throws `SCHEMA_INVALID` for a schema that the library cannot
 * express, such as one with a transformation, and for a default that neither the library nor `keywords` writes.
 */
export function jsonSchemaOf(
  schema: StandardSchema,
  path: string,
  keywords: KeywordsByPath,
): JsonValue {
  const { vendor } = schema['~standard'];
  if (vendor === 'arktype') refuseArktypeFlags((schema as ArktypeSchema).json, path);
  const { output, input } = schemasOf(schema, path);
  return new DefaultReader(keywords).read({ output, input }, path);
}

/** A schema of ArkType has its own description. */
interface ArktypeSchema extends StandardSchema {
  readonly json: JsonValue;
}

interface Schemas {
  readonly output: JsonValue;
  readonly input: JsonValue | undefined;
}

function schemasOf(schema: StandardSchema, path: string): Schemas {
  const { jsonSchema, vendor } = schema['~standard'];
  const libraryOptions = conversionOptions(vendor);
  const options = { target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) } as const;
  try {
    const output = jsonSchema.output(options) as JsonObject;
    return { output, input: jsonSchema.input(options) as JsonObject };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const cure = `use a schema that ${vendor} can express as JSON Schema: the API stores JSON, without dates and transformations`;
    throw new SchemaError('SCHEMA_INVALID', { path, reason, cure }, { cause });
  }
}

/**
 * A property that only the output requires has a default. zod and valibot write it; ArkType does not, so that
 * `keywords` must.
 */
class DefaultReader {
  readonly #keywords: KeywordsByPath;
  readonly #budget = new SchemaBudget();

  constructor(keywords: KeywordsByPath) {
    this.#keywords = keywords;
  }

  read({ output, input }: Schemas, path: string, level = 0): JsonValue {
    this.#budget.take(path, level);
    if (!isJsonObject(output) || !isJsonObject(input)) return output;
    checkUntransformed(output, input, path);
    const schema: JsonObject = { ...output };
    for (const name of ['items', 'additionalProperties'] as const) {
      const inner = { output: schema[name] ?? true, input: input[name] };
      if (schema[name] !== undefined) schema[name] = this.read(inner, `${path}.${name}`, level + 1);
    }
    const { properties } = schema;
    if (!isJsonObject(properties) || !isJsonObject(input['properties'])) return schema;
    const inputs = input['properties'];
    schema['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const at = `${path}.properties.${name}`;
        return [name, this.read({ output: property, input: inputs[name] }, at, level + 1)];
      }),
    );
    return { ...schema, ...this.#required(schema, input, path) };
  }

  /** The required names without those whose default `keywords` writes. */
  #required({ required, properties }: JsonObject, input: JsonObject, path: string): JsonObject {
    const before = namesIn(input['required']);
    const names = namesIn(required).filter((name) => {
      const property = isJsonObject(properties) ? ownValue(properties, name) : undefined;
      const isWritten = isJsonObject(property) && property['default'] !== undefined;
      if (before.includes(name) || isWritten) return true;
      this.#checkWritten(`${path}.properties.${name}`);
      return false;
    });
    return required === undefined ? {} : { required: names };
  }

  #checkWritten(path: string): void {
    const part = path.replace(/^defineKind\.(?:versions\.[^.]+\.)?/, '');
    if (ownValue(this.#keywords, part)?.default !== undefined) return;
    const cure = `write it by keywords: { '${part}': { default: … } }`;
    throw refusal(path, 'a default that the JSON Schema of the library omits', cure);
  }
}

/** The API stores the value that the library would transform, so that both types must be the same. */
function checkUntransformed(
  { type }: JsonObject,
  { type: before }: JsonObject,
  path: string,
): void {
  if (type === undefined || before === undefined || jsonEquals(type, before)) return;
  const reason = `a transformation from ${jsonText(before)} to ${jsonText(type)}`;
  throw refusal(path, reason, 'transform the value after it was read');
}

function namesIn(required: JsonValue | undefined): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
