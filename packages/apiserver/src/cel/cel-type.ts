import type { Environment } from '@marcbachmann/cel-js';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import type { CelLibrary } from './cel-library.ts';
import { escapeFieldName } from './field-name.ts';

/** What a rule sees of a schema: the name of a type, and how JSON becomes a value of it. */
export interface CelType {
  readonly name: string;
  valueOf(json: JsonValue): unknown;
}

type Declared = CelType | undefined;

/** Declares the types of one schema in an environment. Rules see no fields without a type. */
export class CelTypes {
  readonly #environment: Environment;
  readonly #library: CelLibrary;
  readonly #declared = new Map<JsonSchema, Declared>();
  #count = 0;

  constructor(environment: Environment, library: CelLibrary) {
    this.#environment = environment;
    this.#library = library;
  }

  /** The type of a schema; undefined where rules cannot see its values. `root`: it is a whole resource. */
  declare(schema: JsonSchema, root: boolean = isEmbedded(schema)): Declared {
    if (!this.#declared.has(schema)) this.#declared.set(schema, this.#typeOf(schema, root));
    return this.#declared.get(schema);
  }

  #typeOf(schema: JsonSchema, root: boolean): Declared {
    if (schema['x-kubernetes-int-or-string'] === true) return dynamic;
    const type = this.#plainTypeOf(schema, root);
    return type === undefined || schema.nullable !== true ? type : { ...type, name: 'dyn' };
  }

  #plainTypeOf(schema: JsonSchema, root: boolean): Declared {
    switch (schema.type) {
      case 'object':
        return this.#objectType(schema, root);
      case 'array':
        return this.#listType(schema);
      case 'string':
        return this.#textType(schema.format);
      case 'integer':
        return { name: 'int', valueOf: (json) => BigInt(Number(json)) };
      case 'number':
        return { name: 'double', valueOf: Number };
      case 'boolean':
        return { name: 'bool', valueOf: (json) => json };
      default:
        return undefined;
    }
  }

  #textType(format: string | undefined): CelType {
    switch (format) {
      case 'byte':
        return { name: 'bytes', valueOf: (json) => Buffer.from(text(json), 'base64') };
      case 'date':
      case 'date-time':
        return { name: 'google.protobuf.Timestamp', valueOf: (json) => new Date(text(json)) };
      case 'duration':
        return { name: 'google.protobuf.Duration', valueOf: (json) => this.#duration(json) };
      default:
        return { name: 'string', valueOf: (json) => json };
    }
  }

  #duration(json: JsonValue): unknown {
    return new this.#library.Environment().evaluate(`duration(${JSON.stringify(json)})`);
  }

  #listType(schema: JsonSchema): Declared {
    const item = schema.items && this.declare(schema.items);
    if (item === undefined) return undefined;
    return {
      name: `list<${item.name}>`,
      valueOf: (json) =>
        Array.isArray(json) ? Array.from(json, (each) => valueOf(item, each)) : [],
    };
  }

  #objectType(schema: JsonSchema, root: boolean): Declared {
    const { additionalProperties } = schema;
    if (typeof additionalProperties === 'object') return this.#mapType(additionalProperties);
    const fields = new Map<string, CelType>();
    for (const [name, property] of Object.entries(fieldsOf(schema, root))) {
      const type = this.declare(property);
      if (type !== undefined) fields.set(name, type);
    }
    return this.#messageType(fields);
  }

  #mapType(schema: JsonSchema): Declared {
    const value = this.declare(schema);
    if (value === undefined) return undefined;
    return {
      name: `map<string, ${value.name}>`,
      valueOf: (json) =>
        new Map(Object.entries(json ?? {}).map(([key, inner]) => [key, valueOf(value, inner)])),
    };
  }

  /** Objects are a class of their own each: the library tells the types of values by their classes. */
  #messageType(fields: ReadonlyMap<string, CelType>): CelType {
    this.#count += 1;
    const name = `Object${this.#count}`;
    class Message extends Map<string, unknown> {
      readonly json: JsonObject;

      constructor(json: JsonObject) {
        super(memberValues(json, fields));
        this.json = json;
      }
    }
    const types = [...fields].map(([field, type]) => [escapeFieldName(field), type.name]);
    this.#environment
      .registerType(name, { ctor: Message, fields: Object.fromEntries(types) })
      .registerOperator(`${name} == ${name}`, (one: Message, other: Message) =>
        jsonEquals(one.json, other.json),
      );
    return { name, valueOf: (json) => new Message(isJsonObject(json) ? json : {}) };
  }
}

/** Values whose type only the value tells: int-or-string. */
const dynamic: CelType = {
  name: 'dyn',
  valueOf: (json) => (typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : json),
};

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** Of metadata the rules see the two names, of a resource always also its kind. */
function fieldsOf(schema: JsonSchema, root: boolean): Record<string, JsonSchema> {
  if (!root) return schema.properties ?? {};
  const name: JsonSchema = { type: 'string' };
  const metadata: JsonSchema = {
    type: 'object',
    properties: { name, generateName: name },
  };
  return { ...schema.properties, apiVersion: name, kind: name, metadata };
}

function memberValues(
  json: JsonObject,
  fields: ReadonlyMap<string, CelType>,
): (readonly [string, unknown])[] {
  return [...fields].flatMap(([field, type]) => {
    const value = json[field];
    return value === undefined ? [] : [[escapeFieldName(field), valueOf(type, value)] as const];
  });
}

/** The schema has been checked before: where a text belongs there is one. */
function text(json: JsonValue): string {
  return typeof json === 'string' ? json : '';
}

function valueOf(type: CelType, json: JsonValue): unknown {
  return json === null ? null : type.valueOf(json);
}
