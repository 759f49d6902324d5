import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  Duration,
  durationType,
  dynType,
  fail,
  intType,
  listType,
  mapType,
  objectType,
  outcomeOf,
  SchemaList,
  type SizedType,
  stringType,
  Timestamp,
  timestampType,
  type Value,
} from '@keelson/cel/internal';
import { goNumberType } from '../json/go-number.ts';
import { isJsonObject, isNumeric, type JsonValue } from '../json/json-value.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { sizeOfList, sizeOfMap, sizeOfText, smallestObject } from './schema-sizes.ts';
import { corruptByte } from './corrupt-byte.ts';
import { escapeFieldName } from './field-name.ts';
import { addedItem, listIdentity } from './list-identity.ts';
import { type MemberTypes, plainValue, SchemaObject } from './schema-object.ts';

/** The CEL type of a schema: its sizes, and the conversion from JSON. */
export interface SchemaType extends SizedType {
  readonly key?: SchemaType;
  readonly element?: SchemaType;
  readonly fields?: ReadonlyMap<string, SchemaType>;
  valueOf(json: JsonValue): Value;
}

/** Computes the CEL types of a schema. Parts without a type are invisible to rules. */
export class SchemaTypes {
  readonly #known = new Map<JsonSchema, SchemaType | undefined>();

  /**
   * Returns the type of a schema; undefined if rules cannot read its values. `root` marks the schema of the whole
   * resource.
   */
  of(
    schema: JsonSchema,
    root: boolean = isEmbedded(schema),
    path = 'self',
  ): SchemaType | undefined {
    if (!this.#known.has(schema)) {
      const type = this.#typeOf(schema, root, path);
      this.#known.set(schema, type && nullChecked(type, schema));
    }
    return this.#known.get(schema);
  }

  #typeOf(schema: JsonSchema, root: boolean, path: string): SchemaType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) {
      return scalar(dynType, 1, intOrText, sizeOfText(schema));
    }
    switch (schema.type) {
      case 'object':
        return this.#object(schema, root, path);
      case 'array':
        return this.#list(schema, path);
      case 'string':
        return textType(schema);
      case 'integer':
        return scalar(intType, 1, integer);
      case 'number':
        return scalar(doubleType, 1, double);
      case 'boolean':
        return scalar(boolType, 4, flag);
      default:
        return undefined;
    }
  }

  #list(schema: JsonSchema, path: string): SchemaType | undefined {
    const { items } = schema;
    const element = items && this.of(items, isEmbedded(items), `${path}.@idx`);
    if (element === undefined) return undefined;
    return {
      type: listType(element.type),
      smallest: 2,
      most: sizeOfList(schema, element),
      element,
      valueOf: (json) => {
        if (!Array.isArray(json)) return fail(wrongCollection('an array', 'array'));
        const outcomes = json.map((item) => outcomeOf(() => element.valueOf(item)));
        return new SchemaList(outcomes, {
          identity: listIdentity(schema, json),
          withoutSchema: () => json.map(plainValue),
          added: addedItem,
        });
      },
    };
  }

  #object(schema: JsonSchema, root: boolean, path: string): SchemaType | undefined {
    const { additionalProperties: values } = schema;
    if (typeof values === 'object') return this.#map(schema, values, path);
    const fields = new Map<string, SchemaType>();
    const jsonNames = new Map<string, string>();
    const properties = Object.entries(propertiesOf(schema, root));
    const sized: [string, SchemaType][] = [];
    for (const [jsonName, property] of properties) {
      const type = this.of(property, isEmbedded(property), `${path}.${jsonName}`);
      const name = escapeFieldName(jsonName);
      if (type !== undefined) sized.push([jsonName, type]);
      if (type === undefined || name === undefined) continue;
      fields.set(name, type);
      jsonNames.set(name, jsonName);
    }
    const types = new Map([...fields].map(([name, each]) => [name, each.type] as const));
    const members = namedMembers(fields, jsonNames);
    return {
      type: objectType(path, types),
      smallest: smallestObject(schema, sized),
      most: 0,
      fields,
      valueOf: (json) => objectOf(json, members),
    };
  }

  #map(schema: JsonSchema, values: JsonSchema, path: string): SchemaType | undefined {
    const element = this.of(values, isEmbedded(values), `${path}.@elem`);
    if (element === undefined) return undefined;
    const members: MemberTypes = {
      named: false,
      jsonNameOf: (name) => name,
      nameOf: (jsonName) => jsonName,
      valueOf: (_, json) => element.valueOf(json),
    };
    return {
      type: mapType(stringType, element.type),
      smallest: 2,
      most: sizeOfMap(schema, element),
      key: scalar(stringType, 2, text),
      element,
      valueOf: (json) => objectOf(json, members),
    };
  }
}

function objectOf(json: JsonValue, members: MemberTypes): Value {
  return isJsonObject(json)
    ? new SchemaObject(json, members)
    : fail(wrongCollection('a map', 'object'));
}

function wrongCollection(expected: string, type: string): string {
  return `invalid data, expected ${expected} for the provided schema with type=${type}`;
}

function scalar(
  type: CelType,
  smallest: number,
  valueOf: (json: JsonValue) => Value,
  most = 0,
): SchemaType {
  return { type, smallest, most, valueOf };
}

function textType(schema: JsonSchema): SchemaType {
  switch (schema.format) {
    case 'byte':
      return scalar(bytesType, 2, bytesOf, sizeOfText(schema));
    case 'date':
      return scalar(timestampType, 12, dateOf, 12);
    case 'date-time':
      return scalar(timestampType, 21, momentOf, 32);
    case 'duration':
      return scalar(durationType, 3, durationOf, 32);
    default:
      return scalar(stringType, 2, text, sizeOfText(schema));
  }
}

function bytesOf(json: JsonValue): Value {
  const written = text(json);
  const wrong = corruptByte(written);
  if (wrong === undefined) return Buffer.from(written, 'base64url');
  const words = `Invalid byte formatted string ${written}: illegal base64 data at input byte ${wrong}`;
  return fail(words);
}

function dateOf(json: JsonValue): Value {
  const written = text(json);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(written) ? Timestamp.parseFormat(written) : undefined;
  return date ?? fail(`Invalid date formatted string ${written}`);
}

function momentOf(json: JsonValue): Value {
  const written = text(json);
  // kube-apiserver reads an empty text, which the format refuses, as the start of 1970.
  if (written === '') return Timestamp.ofSeconds(0n);
  return Timestamp.parse(written) ?? fail(`Invalid date-time formatted string ${written}`);
}

function durationOf(json: JsonValue): Value {
  return Duration.parseFormat(text(json)) ?? fail(`Invalid duration ${text(json)}`);
}

/**
 * A value may have another type than its schema: validation accepts a list for a text with a format, a double near an
 * integer, and an unchanged value that the former schema accepted.
 */
function text(json: JsonValue): string {
  return typeof json === 'string' ? json : wrongScalar('string', json);
}

function flag(json: JsonValue): boolean {
  return typeof json === 'boolean' ? json : wrongScalar('bool', json);
}

function double(json: JsonValue): number {
  return isNumeric(json) ? Number(json) : wrongScalar('float', json);
}

function intOrText(json: JsonValue): Value {
  if (typeof json === 'string') return json;
  return isInt64(json)
    ? BigInt(json)
    : fail('invalid data, expected XIntOrString value to be either a string or integer');
}

function integer(json: JsonValue): bigint {
  return isInt64(json) ? BigInt(json) : wrongScalar('int', json);
}

function isInt64(json: JsonValue): json is number | bigint {
  return isNumeric(json) && goNumberType(json) === 'int64';
}

function wrongScalar(expected: string, json: JsonValue): never {
  return fail(`invalid data, expected ${expected}, got ${goTypeOfJson(json)}`);
}

/** The type of Go to which kube-apiserver decodes a value. */
function goTypeOfJson(json: JsonValue): string {
  if (isNumeric(json)) return goNumberType(json);
  if (Array.isArray(json)) return '[]interface {}';
  if (isJsonObject(json)) return 'map[string]interface {}';
  return typeof json === 'boolean' ? 'bool' : 'string';
}

function nullChecked(type: SchemaType, { nullable = false }: JsonSchema): SchemaType {
  const words = 'invalid data, got null for schema with nullable=false';
  return {
    ...type,
    valueOf: (json) => {
      if (json !== null) return type.valueOf(json);
      return nullable ? null : fail(words);
    },
  };
}

function namedMembers(
  fields: ReadonlyMap<string, SchemaType>,
  jsonNames: ReadonlyMap<string, string>,
): MemberTypes {
  const names = new Map([...jsonNames].map(([name, jsonName]) => [jsonName, name]));
  return {
    named: true,
    jsonNameOf: (name) => jsonNames.get(name),
    nameOf: (jsonName) => names.get(jsonName),
    valueOf: (jsonName, json) => fields.get(names.get(jsonName) ?? '')?.valueOf(json) ?? null,
  };
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Of metadata, rules read only `name` and `generateName`. A resource also has `apiVersion` and `kind`. */
function propertiesOf(schema: JsonSchema, root: boolean): Record<string, JsonSchema> {
  if (!root) return schema.properties ?? {};
  const metadata: JsonSchema = {
    type: 'object',
    properties: { name: anyName(), generateName: anyName() },
  };
  return { ...schema.properties, apiVersion: anyName(), kind: anyName(), metadata };
}

/** Returns a new schema on each call, because results are cached per schema object. */
function anyName(): JsonSchema {
  return { type: 'string' };
}
