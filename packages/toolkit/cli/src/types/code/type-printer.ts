import { CliError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../definition/custom-kind.ts';
import { docComment, docTag } from './doc-comment.ts';
import type { InterfaceNames } from './interface-names.ts';
import { literalType, propertyName } from './literal.ts';

/** Deeper schemas are refused. The deepest of 103 public definitions, with the template of a Pod, has 18 levels. */
const MAX_DEPTH = 200;

/**
 * Larger schemas are refused. The largest of 103 public definitions has 7,095; a few lines of YAML with aliases
 * can have billions.
 */
const MAX_SCHEMAS = 100_000;

/** Members that `KubernetesObject` declares. */
const objectMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const scalars: ReadonlyMap<unknown, string> = new Map([
  ['boolean', 'boolean'],
  ['integer', 'number'],
  ['number', 'number'],
  ['string', 'string'],
]);

/** A printed type, and whether it must be in parentheses before `[]`. */
interface PrintedType {
  readonly text: string;
  readonly isUnion: boolean;
}

/** The schema of an object, with the name and the supertype of its interface. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
  /** The path in the schema of the kind, for errors. */
  readonly path: string;
  /** An interface that declares apiVersion, kind and metadata. */
  readonly parent?: string | undefined;
  /** Tags of the doc comment. */
  readonly tags?: readonly string[];
}

/**
 * Prints the interfaces for structural schemas. Each object schema with properties is an interface of its own, below
 * the interface that uses it. Properties are sorted, because a file and a cluster may order them differently.
 */
export class TypePrinter {
  readonly #names: InterfaceNames;
  /** Imports a type into the module and returns its name there. */
  readonly #importType: (name: string) => string;
  readonly #definition: string;
  readonly #interfaces: (readonly string[])[] = [];
  #schemas = 0;
  #depth = 0;

  constructor(names: InterfaceNames, importType: (name: string) => string, definition: string) {
    this.#names = names;
    this.#importType = importType;
    this.#definition = definition;
  }

  /** The lines of each interface that was printed, in the order of their first use. */
  get interfaces(): readonly (readonly string[])[] {
    return this.#interfaces;
  }

  /** Prints the interface of an object schema and those of its members. Throws `SCHEMA_TOO_LARGE` or `DEFINITION_INVALID`. */
  printInterface({ name, schema, path, parent, tags = [] }: NamedSchema): void {
    const lines: string[] = [];
    // Reserves the place above the interfaces of the members.
    this.#interfaces.push(lines);
    const members = this.#members(name, schema, path, parent !== undefined);
    const heritage = parent === undefined ? '' : ` extends ${parent}`;
    lines.push(...docComment(schema['description'], '', tags));
    lines.push(`export interface ${name}${heritage} {`, ...members, '}');
  }

  #members(owner: string, schema: JsonObject, path: string, inheritsObject: boolean): string[] {
    const properties = this.#propertiesOf(schema, path);
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const lines = properties
      .filter(([name]) => !inheritsObject || !objectMembers.has(name))
      .flatMap(([name, property]) => {
        // The description is printed here; one of list items or map values is printed at their interface.
        const bare = { ...property, description: undefined };
        const type = this.#typeOf(owner, name, bare, `${path}.properties.${name}`);
        const isOptional = !required.has(name) || property['default'] !== undefined;
        const tags = defaultTag(property['default']);
        return [
          ...docComment(property['description'], '  ', tags),
          `  ${propertyName(name)}${isOptional ? '?' : ''}: ${type.text};`,
        ];
      });
    return preservesUnknown(schema) ? [...lines, '  [key: string]: unknown;'] : lines;
  }

  #propertiesOf(schema: JsonObject, path: string): readonly (readonly [string, JsonObject])[] {
    const { properties } = schema;
    if (!isJsonObject(properties)) return [];
    return Object.entries(properties)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, property]) => {
        if (!isJsonObject(property)) {
          throw this.#invalid(`${path}.properties.${name}`, 'must be an object');
        }
        return [name, property] as const;
      });
  }

  /** Prints the type of a schema. `owner` and `property` give the name of its interface, if it needs one. */
  #typeOf(owner: string, property: string, schema: JsonObject, path: string): PrintedType {
    this.#schemas += 1;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#tooLarge('levels', MAX_DEPTH);
    if (this.#schemas > MAX_SCHEMAS) throw this.#tooLarge('schemas', MAX_SCHEMAS);
    const type = enumType(schema) ?? this.#typeByName(owner, property, schema, path);
    this.#depth -= 1;
    if (schema['nullable'] !== true || /^unknown$|\bnull$/.test(type.text)) return type;
    return { text: `${type.text} | null`, isUnion: true };
  }

  #typeByName(owner: string, property: string, schema: JsonObject, path: string): PrintedType {
    const { type } = schema;
    if (schema['x-kubernetes-int-or-string'] === true) {
      return { text: 'number | string', isUnion: true };
    }
    if (schema['x-kubernetes-embedded-resource'] === true) {
      return this.#embedded(owner, property, schema, path);
    }
    if (type === 'object') return this.#object(owner, property, schema, path);
    if (type === 'array') return this.#array(owner, property, schema, path);
    const scalar = scalars.get(type);
    if (scalar !== undefined) return plain(scalar);
    if (type === undefined || type === '') return plain('unknown');
    throw this.#invalid(`${path}.type`, 'must be one of the types of structural schemas');
  }

  #array(owner: string, property: string, schema: JsonObject, path: string): PrintedType {
    const { items } = schema;
    if (items === undefined) return plain('unknown[]');
    if (!isJsonObject(items)) throw this.#invalid(`${path}.items`, 'must be an object');
    const { text, isUnion } = this.#typeOf(owner, property, items, `${path}.items`);
    return plain(isUnion ? `(${text})[]` : `${text}[]`);
  }

  #object(owner: string, property: string, schema: JsonObject, path: string): PrintedType {
    if (this.#propertiesOf(schema, path).length > 0) {
      return this.#named({ owner, property, schema, path });
    }
    const { additionalProperties: values } = schema;
    if (isJsonObject(values)) {
      const type = this.#typeOf(owner, property, values, `${path}.additionalProperties`);
      return plain(`{ [key: string]: ${type.text} }`);
    }
    const isOpen = preservesUnknown(schema) || values === true;
    // The API server removes every field of an object without properties.
    return plain(`{ [key: string]: ${isOpen ? 'unknown' : 'never'} }`);
  }

  #embedded(owner: string, property: string, schema: JsonObject, path: string): PrintedType {
    const parent = this.#importType('KubernetesObject');
    const own = this.#propertiesOf(schema, path).filter(([name]) => !objectMembers.has(name));
    if (own.length > 0) {
      return this.#named({ owner, property, schema, path, parent });
    }
    const rest = preservesUnknown(schema) ? ' & { [key: string]: unknown }' : '';
    return { text: `${parent}${rest}`, isUnion: rest !== '' };
  }

  #named({
    owner,
    property,
    ...rest
  }: Omit<NamedSchema, 'name'> & { owner: string; property: string }): PrintedType {
    const name = this.#names.takeMember(owner, property);
    this.printInterface({ ...rest, name });
    return plain(name);
  }

  #invalid(path: string, reason: string): CliError {
    return new CliError('DEFINITION_INVALID', { definition: this.#definition, path, reason });
  }

  #tooLarge(unit: string, limit: number): CliError {
    return new CliError('SCHEMA_TOO_LARGE', { definition: this.#definition, unit, limit });
  }
}

function plain(text: string): PrintedType {
  return { text, isUnion: false };
}

function enumType({ enum: values }: JsonObject): PrintedType | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const types = values.map((value) => literalType(value));
  if (types.includes(undefined)) return undefined;
  // null is last, so that a nullable enum does not repeat it.
  const unique = [...new Set(types)].toSorted(
    (a, b) => Number(a === 'null') - Number(b === 'null'),
  );
  return { text: unique.join(' | '), isUnion: unique.length > 1 };
}

function preservesUnknown(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** Prints scalars and empty collections. The order of the fields of other defaults is not stable. */
function defaultTag(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const isScalar = typeof value !== 'object' || value === null;
  const text = isScalar || Object.keys(value).length === 0 ? JSON.stringify(value) : '';
  return text === '' ? [] : [docTag('default', text)];
}
