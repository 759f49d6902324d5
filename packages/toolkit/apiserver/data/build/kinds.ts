import type { GoField, GoPackage, GoSource } from './go-types.ts';

/** A schema of `api/openapi-spec/v3`, as far as it is read. */
export interface OpenApiSchema {
  type?: string;
  format?: string;
  default?: unknown;
  required?: string[];
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema | boolean;
  allOf?: OpenApiSchema[];
  $ref?: string;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/**
 * A type in `data/kinds.json`: a scalar, a list, a map, or `#name` of a struct. The field makes the struct atomic in
 * `!name`, and granular in `~name`.
 */
export type TypeEntry =
  | string
  | { list: string; keys?: string[]; of: TypeEntry }
  | { map: string; of: TypeEntry };

/** A field in `data/kinds.json`; a bare type is a field without further properties. */
export type FieldEntry =
  | string
  | {
      type: TypeEntry;
      required?: true;
      empty?: string;
      default?: unknown;
      enum?: string[];
      mergeKey?: string;
      patch?: string;
    };

export interface StructEntry {
  atomic?: true;
  fields: Record<string, FieldEntry>;
}

export interface KindsFile {
  kinds: Record<string, string>;
  types: Record<string, StructEntry>;
}

function markOf(site: OpenApiSchema, struct: OpenApiSchema): '#' | '!' | '~' {
  const [here, there] = [site['x-kubernetes-map-type'], struct['x-kubernetes-map-type']];
  if (here === 'atomic') return '!';
  return here === 'granular' && there === 'atomic' ? '~' : '#';
}

const special: Record<string, string> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'untyped',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'untyped',
};

/** Members that are sent although they are empty: an empty list of managers removes all of them. */
const keptEmpty = new Set(['managedFields']);

/** Reduces OpenAPI definitions and Go types to what the server needs at run time. */
export class KindsBuilder {
  readonly #definitions: Record<string, OpenApiSchema>;
  readonly #go: GoSource;
  readonly #result: KindsFile = { kinds: {}, types: {} };

  constructor(definitions: Record<string, OpenApiSchema>, go: GoSource) {
    this.#definitions = definitions;
    this.#go = go;
  }

  build(): KindsFile {
    for (const [name, schema] of Object.entries(this.#definitions)) {
      const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
      if (
        kinds.length !== 1 ||
        name.endsWith('List') ||
        schema.properties?.metadata === undefined
      ) {
        continue;
      }
      for (const { group, version, kind } of kinds) {
        this.#result.kinds[`${group}/${version}/${kind}`] = this.#struct(name);
      }
    }
    return this.#result;
  }

  #struct(definition: string): string {
    const name = shortName(definition);
    if (this.#result.types[name] !== undefined) return name;
    const schema = this.#definitions[definition];
    if (schema === undefined) throw new Error(`the document has no definition ${definition}`);
    const entry: StructEntry = { fields: {} };
    this.#result.types[name] = entry;
    if (schema['x-kubernetes-map-type'] === 'atomic') entry.atomic = true;
    const { packageName, typeName } = split(definition);
    const goFields = flatten(this.#go, packageName, typeName);
    for (const [field, fieldSchema] of Object.entries(schema.properties ?? {})) {
      const required = schema.required?.includes(field) === true;
      const goField = goFields.get(field);
      entry.fields[field] = this.#field(fieldSchema, required, goField);
    }
    return name;
  }

  #field(schema: OpenApiSchema, required: boolean, found: FoundField | undefined): FieldEntry {
    const type = this.#type(schema);
    const entry: Exclude<FieldEntry, string> = { type };
    if (required) entry.required = true;
    if (found !== undefined) {
      const empty = keptEmpty.has(found.field.name) ? 'optional' : emptyMode(type, found);
      if (empty !== usualEmptyMode(type)) entry.empty = empty;
      const values = found.package.enums.get(found.field.type.replace(/^\*/, ''));
      if (values !== undefined && values.length > 0) entry.enum = values.toSorted();
    }
    if (isMeaningful(schema.default) || isUnwrittenDefault(schema, required, entry))
      entry.default = schema.default;
    const mergeKey = schema['x-kubernetes-patch-merge-key'];
    if (mergeKey !== undefined) entry.mergeKey = mergeKey;
    const patch = schema['x-kubernetes-patch-strategy'];
    if (patch !== undefined) entry.patch = patch;
    return Object.keys(entry).length === 1 && typeof type === 'string' ? type : entry;
  }

  #type(schema: OpenApiSchema): TypeEntry {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) return this.#reference(reference, schema);
    if (schema.type === 'array') return this.#list(schema);
    if (schema.type === 'object') {
      const values = schema.additionalProperties;
      const of = typeof values === 'object' ? this.#type(values) : 'untyped';
      return { map: schema['x-kubernetes-map-type'] ?? 'granular', of };
    }
    return scalarOf(schema);
  }

  #reference(reference: string, site: OpenApiSchema): TypeEntry {
    const definition = reference.slice(reference.lastIndexOf('/') + 1);
    const scalar = special[definition];
    if (scalar !== undefined) return scalar;
    const schema = this.#definitions[definition];
    if (schema?.properties === undefined && !this.#isEmptyStruct(definition)) {
      return schema?.type === 'object' ? this.#type(schema) : 'untyped';
    }
    return `${markOf(site, schema ?? {})}${this.#struct(definition)}`;
  }

  /** A Go struct without fields, which accepts no member. */
  #isEmptyStruct(definition: string): boolean {
    const schema = this.#definitions[definition];
    if (schema?.type !== 'object' || schema.additionalProperties !== undefined) return false;
    const { packageName, typeName } = split(definition);
    return this.#go.package(packageName).structs.get(typeName)?.length === 0;
  }

  #list(schema: OpenApiSchema): TypeEntry {
    const list = schema['x-kubernetes-list-type'] ?? 'atomic';
    const keys = schema['x-kubernetes-list-map-keys'];
    const of = this.#type(schema.items ?? {});
    return keys === undefined ? { list, of } : { list, keys, of };
  }
}

interface FoundField {
  field: GoField;
  package: GoPackage;
}

/** The fields of a struct with those of embedded structs, by JSON name. */
function flatten(go: GoSource, packageName: string, typeName: string): Map<string, FoundField> {
  const found = new Map<string, FoundField>();
  const source = go.package(packageName);
  for (const field of source.structs.get(typeName) ?? []) {
    if (field.name !== '') {
      found.set(field.name, { field, package: source });
    } else if (!field.type.includes('.')) {
      for (const [name, inner] of flatten(go, packageName, field.type)) found.set(name, inner);
    }
  }
  return found;
}

function scalarOf(schema: OpenApiSchema): string {
  switch (schema.type) {
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'double';
    case 'boolean':
      return 'boolean';
    case 'string':
      return schema.format === 'byte' ? 'bytes' : 'string';
    default:
      return 'untyped';
  }
}

/** What Go's encoder does with a field that has no value. */
function emptyMode(type: TypeEntry, { field, package: source }: FoundField): string {
  const goType = source.aliases.get(field.type) ?? field.type;
  if (goType.startsWith('*')) return field.omitEmpty ? 'optional' : 'null';
  const omitted = field.omitEmpty || field.omitZero;
  if (isGoStruct(type, goType)) return field.omitZero ? 'dropped' : 'zero';
  if (omitted) return 'dropped';
  return typeof type === 'object' || type === 'bytes' || type === 'untyped' ? 'null' : 'zero';
}

/** Structs are never "empty" to Go's encoder, also those that the wire shows as text. */
function isGoStruct(type: TypeEntry, goType: string): boolean {
  if (typeof type === 'object' || goType.startsWith('[]') || goType.startsWith('map['))
    return false;
  if (/^[#!~]/.test(type)) return true;
  return ['quantity', 'time', 'microTime', 'intOrString', 'untyped'].includes(type);
}

function usualEmptyMode(type: TypeEntry): string {
  const isStruct = typeof type === 'string' && /^[#!~]/.test(type);
  return isStruct ? 'optional' : 'dropped';
}

/** Defaults of the document that are zero values are left out, because the Go types imply them. */
function isMeaningful(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== '' &&
    value !== 0 &&
    value !== false &&
    typeof value !== 'object'
  );
}

/** True for an empty string that Go does not write, as the name in `imagePullSecrets`: as a key of a list it counts. */
function isUnwrittenDefault(
  { default: value }: OpenApiSchema,
  required: boolean,
  { empty }: Exclude<FieldEntry, string>,
): boolean {
  return value === '' && !required && empty === undefined;
}

function split(definition: string): { packageName: string; typeName: string } {
  const dot = definition.lastIndexOf('.');
  return { packageName: definition.slice(0, dot), typeName: definition.slice(dot + 1) };
}

/** `io.k8s.api.apps.v1.Deployment` → `apps.v1.Deployment`. */
function shortName(definition: string): string {
  return definition.split('.').slice(-3).join('.');
}
