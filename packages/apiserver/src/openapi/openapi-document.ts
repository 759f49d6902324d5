import { createHash } from 'node:crypto';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import { customTemplate, schemaPrefix } from './custom-paths.ts';
import {
  type CustomSchema,
  listSchema,
  objectSchema,
  type OpenApiVersion,
} from './custom-schema.ts';
import {
  recordedDocument,
  recordedPaths,
  recordedSchemas,
  recordedSwagger,
  type Schemas,
} from './openapi-data.ts';

/** What the documents of a server are made from: those of a real one, and the definitions of custom resources. */
export interface OpenApiSource {
  readonly customs: readonly CustomSchema[];
  /** What the server calls itself, `v1.X.Y`. */
  readonly kubernetesVersion: string;
}

/** What `/openapi/v3` answers: where the document of each group version is, by its content's hash. */
export function openApiV3Index(source: OpenApiSource): object {
  const found = new Set([...recordedPaths(), ...source.customs.map(openApiV3Path)]);
  const paths = [...found].toSorted(byCodeUnit).map((path) => {
    const hash = openApiHash(source, path);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** The document of one group version; `undefined` where nothing is served there. */
export function openApiV3Document(path: string, source: OpenApiSource): object | undefined {
  const customs = source.customs.filter((custom) => openApiV3Path(custom) === path);
  if (customs.length > 0) return customDocument(customs);
  const recorded = recordedDocument(path);
  if (recorded === undefined) return undefined;
  const { shared, components, ...document } = recorded;
  const common = recordedSchemas();
  const schemas = shared.map((name) => [name, components.schemas[name] ?? common[name]] as const);
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

/** What `/openapi/v2` answers: everything in one Swagger document. */
export function openApiV2Document({ customs }: OpenApiSource): SwaggerDocument {
  const swagger = recordedSwagger();
  const paths = customs.map((custom) => customTemplate(custom, 2).paths);
  const schemas = customs.map((custom) => schemasOf(custom, 2));
  return {
    ...swagger,
    paths: sorted({ ...swagger.paths, ...merged(paths) }),
    definitions: sorted({ ...swagger.definitions, ...merged(schemas) }),
  };
}

/** The members of a Swagger document that are objects. */
export interface SwaggerDocument {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Schemas;
}

/**
 * Names a content: of one path below `/openapi/v3`, or of everything. A client that cached a document under a
 * hash asks again only when it is another one.
 */
export function openApiHash(source: OpenApiSource, path?: string): string {
  const customs = source.customs.filter(
    (custom) => path === undefined || openApiV3Path(custom) === path,
  );
  const content = JSON.stringify([source.kubernetesVersion, path ?? '', customs]);
  return createHash('sha512').update(content).digest('hex').toUpperCase();
}

/** The path under `/openapi/v3` of the document that a custom resource is in. */
function openApiV3Path({ group, version }: CustomSchema): string {
  return `apis/${group}/${version}`;
}

function customDocument(customs: readonly CustomSchema[]): object {
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

/** Takes over what a part refers to, and what that refers to. */
function collect(part: object, known: Schemas, into: Record<string, object>): void {
  for (const [, name = ''] of JSON.stringify(part).matchAll(reference)) {
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
