import {
  isJsonObject,
  jsonEquals,
  jsonText,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { inlineReferences } from '../conversion/inline-references.ts';
import { SchemaError } from '../errors.ts';
import { refusal } from '../literal/refusal.ts';
import { SchemaBudget } from '../literal/schema-budget.ts';
import { annotations } from '../union/union-annotations.ts';
import { refuseArktypeParts } from './arktype-nodes.ts';
import { refuseChangingDefaults, waitForClock } from './changing-defaults.ts';
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
  if (vendor === 'arktype') refuseArktypeParts((schema as ArktypeSchema).json, path);
  const { output, input } = schemasOf(schema, path);
  const inline = (each: JsonObject): JsonObject => inlineReferences(each, path);
  return new DefaultReader(keywords).read({ output: inline(output), input: inline(input) }, path);
}

/** A schema of ArkType has its own description. */
interface ArktypeSchema extends StandardSchema {
  readonly json: JsonValue;
}

interface Conversions {
  readonly output: JsonObject;
  readonly input: JsonObject;
}

function schemasOf(schema: StandardSchema, path: string): Conversions {
  const { vendor } = schema['~standard'];
  const found = convert(schema, path);
  if (jsonText(found.output).includes('"default":')) {
    waitForClock();
    refuseChangingDefaults(found.output, convert(schema, path).output, path);
  }
  return found;

  function convert({ '~standard': { jsonSchema } }: StandardSchema, at: string): Conversions {
    const libraryOptions = conversionOptions(vendor);
    const options = { target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) } as const;
    try {
      const output = jsonSchema.output(options) as JsonObject;
      return { output, input: jsonSchema.input(options) as JsonObject };
    } catch (cause) {
      throw inexpressible(cause, vendor, at);
    }
  }
}

function inexpressible(cause: unknown, vendor: string, path: string): SchemaError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // valibot refers to an option of its conversion.
  const isPipe = message.includes('"typeMode"');
  const reason = isPipe ? 'a pipe of several schemas' : message;
  const cure = isPipe
    ? 'use one schema; the API stores what it received'
    : `use a schema that ${vendor} can express as JSON Schema: the API stores JSON, without dates and transformations`;
  return new SchemaError('SCHEMA_INVALID', { path, reason, cure }, { cause });
}

interface Schemas {
  readonly output: JsonValue;
  readonly input: JsonValue | undefined;
}

interface Place {
  readonly path: string;
  readonly level: number;
  /** The properties that some other object of the same union does not have. */
  readonly unshared: ReadonlySet<string>;
}

const junctors = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * A property that only the output requires has a default. zod and valibot write it, but not what zod calls a prefault;
 * ArkType writes none, so that `keywords` must.
 */
class DefaultReader {
  readonly #keywords: KeywordsByPath;
  readonly #budget = new SchemaBudget();

  constructor(keywords: KeywordsByPath) {
    this.#keywords = keywords;
  }

  read(schemas: Schemas, path: string): JsonValue {
    return this.#read(schemas, { path, level: 0, unshared: new Set() });
  }

  #read({ output, input }: Schemas, { path, level, unshared }: Place): JsonValue {
    this.#budget.take(path, level);
    if (!isJsonObject(output) || !isJsonObject(input)) return output;
    refuseTransformation(output, input, path);
    const schema: JsonObject = { ...output };
    const within = (at: string): Place => ({ path: at, level: level + 1, unshared: new Set() });
    for (const name of ['items', 'additionalProperties'] as const) {
      const inner = { output: schema[name] ?? true, input: input[name] };
      if (schema[name] !== undefined) schema[name] = this.#read(inner, within(`${path}.${name}`));
    }
    for (const name of junctors) {
      const { [name]: parts } = schema;
      if (Array.isArray(parts))
        schema[name] = this.#parts(parts, input[name], { path, level, unshared }, name);
    }
    const { properties } = schema;
    if (!isJsonObject(properties) || !isJsonObject(input['properties'])) return schema;
    const inputs = input['properties'];
    const read: JsonObject = {};
    for (const [name, property] of Object.entries(properties)) {
      const inner = { output: property, input: ownValue(inputs, name) };
      setOwn(read, name, this.#read(inner, within(`${path}.properties.${name}`)));
    }
    schema['properties'] = read;
    return { ...schema, ...this.#required(schema, input, { path, level, unshared }) };
  }

  /** The parts describe the same value. */
  #parts(
    parts: readonly JsonValue[],
    inputs: JsonValue | undefined,
    { path, level, unshared }: Place,
    junctor: (typeof junctors)[number],
  ): JsonValue[] {
    if (!Array.isArray(inputs) || inputs.length !== parts.length) {
      throw refusal(path, 'a transformation, which changes a union', transformCure);
    }
    const lacking = junctor === 'allOf' ? unshared : unsharedNames(parts);
    return parts.map((output, index) =>
      this.#read({ output, input: inputs[index] }, { path, level: level + 1, unshared: lacking }),
    );
  }

  /** The required names without those whose default `keywords` writes. */
  #required(
    { required, properties }: JsonObject,
    input: JsonObject,
    { path, unshared }: Place,
  ): JsonObject {
    const before = namesIn(input['required']);
    const names = namesIn(required).filter((name) => {
      const property = isJsonObject(properties) ? ownValue(properties, name) : undefined;
      const isWritten = isJsonObject(property) && property['default'] !== undefined;
      if (before.includes(name) || isWritten) return true;
      this.#checkWritten(`${path}.properties.${name}`, unshared.has(name));
      return false;
    });
    return required === undefined ? {} : { required: names };
  }

  #checkWritten(path: string, isUnshared: boolean): void {
    if (isUnshared) {
      const cure = 'remove the default, or give every object of the union the property';
      throw refusal(path, 'a default in some objects of a union', cure);
    }
    const part = path.replace(/^defineKind\.(?:versions\.[^.]+\.)?/, '');
    if (ownValue(this.#keywords, part)?.default !== undefined) return;
    const cure = `write it by keywords: { '${part}': { default: … } }`;
    throw refusal(path, 'a default that the JSON Schema of the library omits', cure);
  }
}

/** The names of properties that one of several objects does not have. */
function unsharedNames(parts: readonly JsonValue[]): ReadonlySet<string> {
  const objects = parts.flatMap((part) =>
    isJsonObject(part) && isJsonObject(part['properties']) ? [part['properties']] : [],
  );
  const names = objects.flatMap((properties) => Object.keys(properties));
  return new Set(
    names.filter((name) => !objects.every((properties) => Object.hasOwn(properties, name))),
  );
}

const transformCure = 'transform the value after it was read';

/** The keywords in which the schemas of input and output differ also without a transformation, or which are read apart. */
const compared: ReadonlySet<string> = new Set([
  'additionalProperties',
  'default',
  'items',
  'properties',
  'required',
  ...annotations,
  ...junctors,
]);

/** The API stores the value that the library would transform, so that both types must be the same. */
function refuseTransformation(output: JsonObject, input: JsonObject, path: string): void {
  const names = ['type', ...Object.keys(output), ...Object.keys(input)];
  const changed = names.find(
    (name) =>
      !compared.has(name) && !name.startsWith('x-') && !jsonEquals(output[name], input[name]),
  );
  if (changed === undefined) return;
  const [before, after] = [input['type'], output['type']];
  const isType = changed === 'type' && before !== undefined && after !== undefined;
  const reason = isType
    ? `a transformation from ${jsonText(before)} to ${jsonText(after)}`
    : `a transformation, which changes ${changed}`;
  throw refusal(path, reason, transformCure);
}

function namesIn(required: JsonValue | undefined): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
