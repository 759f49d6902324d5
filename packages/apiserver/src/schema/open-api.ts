import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from './data-file.ts';
import { lazy } from './lazy.ts';

/** A document of `/openapi/v3/…`. */
export interface OpenApiV3Document {
  openapi: '3.0.0';
  info: { title: string; version: string };
  paths: Record<string, object>;
  components: { schemas: Record<string, object> };
}

/** The document of `/openapi/v2`. */
export interface OpenApiV2Document {
  swagger: '2.0';
  info: { title: string; version: string };
  paths: Record<string, object>;
  definitions: Record<string, object>;
}

interface OpenApiFile {
  kubernetes: string;
  schemas: Record<string, object>;
  paths: Record<string, Record<string, object>>;
}

// Three megabytes of text: unpacked only for those who ask, such as `kubectl explain`.
const read = lazy(
  () =>
    JSON.parse(brotliDecompressSync(readDataFile('open-api.json.br')).toString()) as OpenApiFile,
);

/** The group versions that have a document: `v1`, `apps/v1`. */
export function openApiGroupVersions(): string[] {
  return Object.keys(read().paths);
}

/** The OpenAPI document of one built-in group version, undefined if the server has none of that name. */
export function loadOpenApiV3(groupVersion: string): OpenApiV3Document | undefined {
  const { kubernetes, schemas, paths } = read();
  const own = paths[groupVersion];
  if (own === undefined) return undefined;
  const reached = new Map<string, object>();
  collectSchemas(own, schemas, reached);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: kubernetes },
    paths: own,
    components: { schemas: Object.fromEntries(reached) },
  };
}

/** The definitions of all built-in kinds in the older form; its paths carry what clients look up there. */
export function loadOpenApiV2(): OpenApiV2Document {
  const { kubernetes, schemas, paths } = read();
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: kubernetes },
    paths: Object.assign({}, ...Object.values(paths).map((each) => toV2Members(each))),
    definitions: toV2Members(schemas),
  };
}

const schemaPrefix = '#/components/schemas/';

/** Adds every schema that a part of a document refers to, with those that they refer to. */
function collectSchemas(
  part: unknown,
  schemas: Record<string, object>,
  reached: Map<string, object>,
): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key !== '$ref' || typeof value !== 'string') {
      collectSchemas(value, schemas, reached);
      continue;
    }
    const name = value.slice(schemaPrefix.length);
    const schema = schemas[name];
    if (schema === undefined || reached.has(name)) continue;
    reached.set(name, schema);
    collectSchemas(schema, schemas, reached);
  }
}

/** References move, and a reference with a description needs no `allOf` around it. */
function toV2(part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => toV2(item));
  if (typeof part !== 'object' || part === null) return part;
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref')
      converted.$ref = `#/definitions/${String(value).slice(schemaPrefix.length)}`;
    else if (key === 'allOf') Object.assign(converted, ...(toV2(value) as object[]));
    else if (key === 'properties') converted.properties = toV2Members(value as object);
    else if (key !== 'default') converted[key] = toV2(value);
  }
  return converted;
}

/** The members of an object whose keys are names, and may be those of keywords. */
function toV2Members(members: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, toV2(member) as object]),
  );
}
