import { createHash } from 'node:crypto';
import { customSchemas, type CustomSchema } from './custom-schema.ts';
import { openApiPaths, type OpenApiVersion, type PathResource } from './openapi-paths.ts';

/** What the documents of a server are made from. */
export interface OpenApiSource {
  /** Every resource that is served. */
  readonly resources: readonly PathResource[];
  readonly customs: readonly CustomSchema[];
  /** The schemas of the built-in kinds by name, with `#/definitions/` references. */
  readonly definitions: Readonly<Record<string, object>>;
  /** What the server calls itself, `v1.X.Y`. */
  readonly kubernetesVersion: string;
}

type Schemas = Record<string, object>;

const definitionsPrefix = '#/definitions/';
const componentsPrefix = '#/components/schemas/';

/** The path under `/openapi/v3` of a group version: `api/v1`, `apis/apps/v1`. */
export function openApiV3Path({ group, version }: { group: string; version: string }): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** What `/openapi/v3` answers: where the document of each group version is, by its content's hash. */
export function openApiV3Index(source: OpenApiSource): object {
  const found = new Set(source.resources.map(openApiV3Path));
  const paths = [...found].map((path) => {
    const hash = hashOf(path, source);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/** The document of one group version; `undefined` where nothing is served there. */
export function openApiV3Document(path: string, source: OpenApiSource): object | undefined {
  const resources = source.resources.filter((resource) => openApiV3Path(resource) === path);
  if (resources.length === 0) return undefined;
  const customs = source.customs.filter((custom) => openApiV3Path(custom) === path);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: source.kubernetesVersion },
    paths: pathsOf(resources, 3),
    components: { schemas: componentsOf(resources, customs, source.definitions) },
  };
}

/** What `/openapi/v2` answers: everything in one Swagger document. */
export function openApiV2Document(source: OpenApiSource): object {
  const customs = source.customs.map((custom) => customSchemas(custom, 2));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: source.kubernetesVersion },
    paths: pathsOf(source.resources, 2),
    definitions: Object.assign({}, source.definitions, ...customs) as object,
  };
}

function pathsOf(resources: readonly PathResource[], version: OpenApiVersion): object {
  const all = resources.map((resource) => openApiPaths(resource, version));
  return Object.assign({}, ...all) as object;
}

function componentsOf(
  resources: readonly PathResource[],
  customs: readonly CustomSchema[],
  definitions: OpenApiSource['definitions'],
): Schemas {
  const custom = Object.assign({}, ...customs.map((one) => customSchemas(one, 3))) as Schemas;
  const wanted = new Set(
    resources.flatMap(({ group, version, kind, subresources }) => [
      gvk({ group, version, kind }),
      ...subresources.map(gvk),
    ]),
  );
  const roots = Object.entries(definitions).filter(([, schema]) =>
    kindsOf(schema).some((kind) => wanted.has(kind)),
  );
  const schemas: Schemas = Object.create(null) as Schemas;
  for (const [name] of roots) collect(name, definitions, schemas);
  for (const name of references(custom)) collect(name, definitions, schemas);
  return { ...schemas, ...custom };
}

/** A definition with all that it refers to, in the form of OpenAPI 3. */
function collect(name: string, definitions: OpenApiSource['definitions'], into: Schemas): void {
  const schema = definitions[name];
  if (schema === undefined || name in into) return;
  const text = JSON.stringify(schema).replaceAll(definitionsPrefix, componentsPrefix);
  const converted = JSON.parse(text) as object;
  into[name] = converted;
  for (const other of references(converted)) collect(other, definitions, into);
}

function references(schema: object): Set<string> {
  const pattern = /"#\/components\/schemas\/([^"]+)"/g;
  return new Set([...JSON.stringify(schema).matchAll(pattern)].map(([, name = '']) => name));
}

function kindsOf(schema: object): string[] {
  const kinds: unknown = Reflect.get(schema, 'x-kubernetes-group-version-kind');
  return Array.isArray(kinds) ? kinds.map((kind) => gvk(kind as Kind)) : [];
}

type Kind = Pick<PathResource, 'group' | 'version' | 'kind'>;

function gvk({ group, version, kind }: Kind): string {
  return `${group}/${version}/${kind}`;
}

/** A client that cached a document under a hash asks again only when it is another one. */
function hashOf(path: string, source: OpenApiSource): string {
  const customs = source.customs.filter((custom) => openApiV3Path(custom) === path);
  const content = JSON.stringify([source.kubernetesVersion, path, customs]);
  return createHash('sha256').update(content).digest('hex').toUpperCase();
}
