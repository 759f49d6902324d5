import type { OpenApiVersion } from './openapi-paths.ts';

/** One served version of a custom resource, as its CRD describes it. */
export interface CustomSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  /** `openAPIV3Schema`, `undefined` where the CRD gives none. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
}

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const typeText = { type: 'string' };

/** The schemas that a document has for a custom resource: of the object and of its list. */
export function customSchemas(
  custom: CustomSchema,
  version: OpenApiVersion,
): Record<string, object> {
  const prefix = [...custom.group.split('.').toReversed(), custom.version].join('.');
  const name = `${prefix}.${custom.kind}`;
  return {
    [name]: objectSchema(custom, version),
    [`${prefix}.${custom.listKind}`]: listSchema(custom, name, version),
  };
}

function objectSchema(custom: CustomSchema, version: OpenApiVersion): object {
  const { properties, ...rest } = custom.schema ?? { type: 'object' };
  const own = {
    ...rest,
    properties: {
      apiVersion: typeText,
      kind: typeText,
      metadata: reference(`${metaPrefix}.ObjectMeta`, version),
      ...withoutStandard(properties),
    },
  };
  const schema = version === 2 ? withoutDefaults(own) : own;
  return { ...(schema as object), ...groupVersionKind(custom, custom.kind) };
}

function listSchema(custom: CustomSchema, item: string, version: OpenApiVersion): object {
  return {
    description: `${custom.listKind} is a list of ${custom.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: typeText,
      kind: typeText,
      items: {
        description: `List of ${custom.plural}.`,
        type: 'array',
        items: { $ref: pathOf(item, version) },
      },
      metadata: reference(`${metaPrefix}.ListMeta`, version),
    },
    ...groupVersionKind(custom, custom.listKind),
  };
}

function groupVersionKind({ group, version }: CustomSchema, kind: string): object {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

/** OpenAPI 3 allows nothing beside a `$ref`; Kubernetes wraps it. */
function reference(name: string, version: OpenApiVersion): object {
  const $ref = pathOf(name, version);
  return version === 3 ? { allOf: [{ $ref }] } : { $ref };
}

function pathOf(name: string, version: OpenApiVersion): string {
  return version === 3 ? `#/components/schemas/${name}` : `#/definitions/${name}`;
}

function withoutStandard(properties: unknown): object {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    ...rest
  } = (properties ?? {}) as Record<string, unknown>;
  return rest;
}

/** The Swagger document of a real server has no defaults of custom resources. */
function withoutDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'default' || isSchemaNamedDefault(value),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutDefaults(value)]));
}

/** A property that is called `default` has a schema; a default has a value. */
function isSchemaNamedDefault(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}
