import { jsonText } from '@keelson/structural-schema';
import { createHash } from 'node:crypto';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import { customTemplate, schemaPrefix } from './custom-paths.ts';
import {
  type CustomSchema,
  listSchema,
  objectSchema,
  type OpenApiVersion,
} from './custom-schema.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { type OpenApiDocument, releasedDocument, releasedSwagger } from './released-document.ts';
import {
  recordedDocument,
  recordedPaths,
  recordedSchemas,
  recordedSwagger,
  type Schemas,
} from './openapi-data.ts';

/** The input of the documents: the custom resources, and a version. Recorded documents describe the built-in kinds. */
export interface OpenApiSource {
  readonly customs: readonly CustomSchema[];
  /** The version that the server reports, `v1.X.Y`. */
  readonly kubernetesVersion: string;
  /** The version of Kubernetes whose kinds the documents describe. Default: the recorded one. */
  readonly version?: KubernetesVersion;
}

/** Builds the response of `/openapi/v3`: the URL of each group version's document, with a hash of its content. */
export function openApiV3Index(source: OpenApiSource): object {
  const found = new Set([...recordedPaths(), ...source.customs.map(openApiV3Path)]);
  const paths = [...found].toSorted(byCodeUnit).map((path) => {
    const hash = openApiHash(source, path);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** Builds the document of one group version; `undefined` if the server serves no resource in it. */
export function openApiV3Document(path: string, source: OpenApiSource): object | undefined {
  const customs = source.customs.filter((custom) => openApiV3Path(custom) === path);
  if (customs.length > 0) return releasedDocument(customDocument(customs), source);
  const recorded = recordedDocument(path);
  if (recorded === undefined) return undefined;
  const { shared, components, ...document } = recorded;
  const common = recordedSchemas();
  const schemas = shared.map((name) => [name, components.schemas[name] ?? common[name]] as const);
  const whole = {
    ...document,
    components: { ...components, schemas: Object.fromEntries(schemas) },
  };
  return releasedDocument(whole, source);
}

/** Builds the response of `/openapi/v2`: one Swagger document with all resources. */
export function openApiV2Document(source: OpenApiSource): SwaggerDocument {
  const { customs } = source;
  const swagger = recordedSwagger();
  const paths = customs.map((custom) => customTemplate(custom, 2).paths);
  const schemas = customs.map((custom) => schemasOf(custom, 2));
  const whole = {
    ...swagger,
    paths: sorted({ ...swagger.paths, ...merged(paths) }),
    definitions: sorted({ ...swagger.definitions, ...merged(schemas) }),
  };
  return releasedSwagger(whole, source);
}

/** The members of a Swagger document that are objects. */
export interface SwaggerDocument {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Schemas;
}

/**
 * Computes the hash of the document at one path below `/openapi/v3`, or of all documents without a path. Clients cache
 * a document by its hash.
 */
export function openApiHash(source: OpenApiSource, path?: string): string {
  const customs = source.customs.filter(
    (custom) => path === undefined || openApiV3Path(custom) === path,
  );
  const content = jsonText([source.kubernetesVersion, path ?? '', customs]);
  return createHash('sha512').update(content).digest('hex').toUpperCase();
}

/** The path below `/openapi/v3` of the document that describes a custom resource. */
function openApiV3Path({ group, version }: CustomSchema): string {
  return `apis/${group}/${version}`;
}

function customDocument(customs: readonly CustomSchema[]): OpenApiDocument {
  const templates = customs.map((custom) => customTemplate(custom, 3));
  const own = merged(customs.map((custom) => schemasOf(custom, 3)));
  const paths = merged(templates.map((template) => template.paths));
  const known = { ...recordedSchemas(), ...templates[0]?.schemas };
  const others: Record<string, object> = {};
  collect([paths, own], known, others);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths: sorted(paths),
    components: { schemas: sorted({ ...others, ...own }) },
  };
}

function schemasOf(custom: CustomSchema, version: OpenApiVersion): Record<string, object> {
  const prefix = schemaPrefix(custom);
  const name = `${prefix}.${custom.kind}`;
  return {
    [name]: objectSchema(custom, version),
    [`${prefix}.${custom.listKind}`]: listSchema(custom, name, version),
  };
}

/** Copies the schemas that `part` refers to, directly or through other schemas. */
function collect(part: object, known: Schemas, into: Record<string, object>): void {
  for (const [, name = ''] of jsonText(part).matchAll(reference)) {
    const schema = known[name];
    if (schema === undefined || name in into) continue;
    into[name] = schema;
    collect(schema, known, into);
  }
}

const reference = /"#\/components\/schemas\/([^"]+)"/g;

function merged(parts: readonly Readonly<Record<string, object>>[]): Record<string, object> {
  return Object.assign({}, ...parts) as Record<string, object>;
}

function sorted(entries: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => byCodeUnit(a, b)));
}
