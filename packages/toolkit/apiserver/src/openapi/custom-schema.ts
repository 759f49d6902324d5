import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { byCodeUnit } from '../storage/sorted-keys.ts';

/** The major version of the OpenAPI specification: 2 is Swagger. */
export type OpenApiVersion = 2 | 3;

/** One served version of a custom resource, as its definition describes it. */
export interface CustomSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The served ones of `status` and `scale`. */
  readonly subresources: readonly string[];
  /** Dotted paths, such as `spec.color`. */
  readonly selectablePaths: readonly string[];
  /** `openAPIV3Schema`; `undefined` if the definition has no schema. */
  readonly schema: JsonObject | undefined;
}

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const conventions =
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** `apiVersion` and `kind`, which every object has. */
const typeMembers: JsonObject = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};

const embeddedMembers: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};

/** Builds the schema of the objects of a custom resource. */
export function objectSchema(custom: CustomSchema, version: OpenApiVersion): JsonObject {
  const { schema } = custom;
  return { ...bodyOf(schema, version), ...extensions(custom, custom.kind) };
}

/** kubectl rejects members that are missing from `properties`. So a schema that allows unknown members lists none. */
function bodyOf(schema: JsonObject | undefined, version: OpenApiVersion): JsonObject {
  if (schema === undefined || (version === 2 && schema[preserves] === true)) {
    return { type: 'object' };
  }
  const published = publish(schema, version);
  const members = { ...typeMembers, metadata: metadataOf('object', version) };
  return {
    ...published,
    properties: sorted({ ...objectAt(published, 'properties'), ...members }),
  };
}

/** Builds the schema of a list of custom resources; `name` refers to the schema of an item. */
export function listSchema(
  custom: CustomSchema,
  item: string,
  version: OpenApiVersion,
): JsonObject {
  return {
    description: `${custom.listKind} is a list of ${custom.kind}`,
    type: 'object',
    required: ['items'],
    properties: sorted({
      ...typeMembers,
      items: {
        description: `List of ${custom.plural}. More info: ${conventions}`,
        type: 'array',
        items: { $ref: pathOf(item, version) },
      },
      metadata: metadataOf('list', version),
    }),
    ...extensions(custom, custom.listKind),
  };
}

function extensions({ group, version, selectablePaths }: CustomSchema, kind: string): JsonObject {
  const fields = selectablePaths.map((fieldPath) => ({ fieldPath }));
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(fields.length > 0 && { 'x-kubernetes-selectable-fields': fields }),
  };
}

/** OpenAPI 3 allows no members beside `$ref`, so Kubernetes wraps the reference in `allOf`. */
function metadataOf(whose: 'object' | 'list', version: OpenApiVersion): JsonObject {
  const isList = whose === 'list';
  const $ref = pathOf(`${metaPrefix}.${isList ? 'ListMeta' : 'ObjectMeta'}`, version);
  const description = `Standard ${isList ? 'list' : "object's"} metadata. More info: ${conventions}#${isList ? 'types-kinds' : 'metadata'}`;
  return { description, ...(version === 3 ? { allOf: [{ $ref }] } : { $ref }) };
}

function pathOf(name: string, version: OpenApiVersion): string {
  return version === 3 ? `#/components/schemas/${name}` : `#/definitions/${name}`;
}

const preserves = 'x-kubernetes-preserve-unknown-fields';
const intOrString = 'x-kubernetes-int-or-string';
const embedded = 'x-kubernetes-embedded-resource';

/** Converts a schema of a definition to the form in which a document publishes it. */
function publish(schema: JsonObject, version: OpenApiVersion): JsonObject {
  const reduced = version === 2 ? swaggerOf(schema) : schema;
  const published: JsonObject = { ...reduced };
  for (const [name, value] of Object.entries(reduced)) {
    if (name === 'properties') published[name] = publishEach(value, version);
    else if (name === 'items' || name === 'additionalProperties') {
      published[name] = isJsonObject(value) ? publish(value, version) : value;
    }
  }
  if (version === 3 && schema[intOrString] === true && schema['anyOf'] === undefined) {
    published['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  }
  const isEmbedded = schema[embedded] === true && (version === 3 || schema[preserves] !== true);
  return isEmbedded ? withEmbedded(published, version) : published;
}

function publishEach(schemas: JsonValue, version: OpenApiVersion): JsonObject {
  const entries = Object.entries(isJsonObject(schemas) ? schemas : {});
  return sorted(
    Object.fromEntries(
      entries.map(([name, schema]) => [name, publish(schema as JsonObject, version)]),
    ),
  );
}

/** Sorts the members in the order in which Go encodes maps. */
function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => byCodeUnit(a, b)));
}

/** Adds `apiVersion`, `kind` and `metadata` to the schema of an embedded object. */
function withEmbedded(schema: JsonObject, version: OpenApiVersion): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  const properties = sorted({
    ...objectAt(schema, 'properties'),
    ...embeddedMembers,
    metadata: metadataOf('object', version),
  });
  return { ...schema, required: [...required, ...missing], properties };
}

/** Removes the keywords that Swagger and kubectl do not support. */
function swaggerOf(schema: JsonObject): JsonObject {
  const { allOf, oneOf, anyOf, not, default: _default, nullable, ...rest } = schema;
  void [allOf, oneOf, anyOf, not];
  const reduced: JsonObject = rest;
  const isOpen = reduced[preserves] === true;
  if (isOpen || nullable === true) {
    delete reduced['items'];
    delete reduced['properties'];
  }
  const bare = reduced['type'] === 'array' && reduced['items'] === undefined;
  if (nullable === true || bare || (isOpen && reduced['type'] === 'object')) delete reduced['type'];
  return withoutNullable(reduced);
}

/** Removes nullable members from `required`; removes `required` if `additionalProperties` may be null. */
function withoutNullable(schema: JsonObject): JsonObject {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return schema;
  const properties = objectAt(schema, 'properties');
  const names = Object.keys(properties);
  const mayBeNull = new Set<JsonValue>(
    names.filter((name) => objectAt(properties, name)['nullable'] === true),
  );
  const left = required.filter((name) => !mayBeNull.has(name));
  const none = objectAt(schema, 'additionalProperties')['nullable'] === true || left.length === 0;
  return none ? rest : { ...schema, required: left };
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
}
