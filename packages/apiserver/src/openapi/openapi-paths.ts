import type { BuiltinResource } from '../schema/builtin-resources.ts';

/** A resource as far as its URLs and verbs go; built-in and custom ones alike. */
export type PathResource = Pick<
  BuiltinResource,
  'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'verbs' | 'subresources'
>;

/** The dialect of a document: 2 is Swagger, 3 is OpenAPI. They spell a parameter differently. */
export type OpenApiVersion = 2 | 3;

type Operations = Record<string, object>;

interface Endpoint {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const methods: Readonly<Record<string, { method: string; action: string }>> = {
  get: { method: 'get', action: 'get' },
  update: { method: 'put', action: 'put' },
  patch: { method: 'patch', action: 'patch' },
  delete: { method: 'delete', action: 'delete' },
};
const collectionMethods: Readonly<Record<string, { method: string; action: string }>> = {
  list: { method: 'get', action: 'list' },
  create: { method: 'post', action: 'post' },
  deletecollection: { method: 'delete', action: 'deletecollection' },
};

/** The query parameters of writes. kubectl looks for them to learn what a server can do. */
const writeParameters: Readonly<Record<string, readonly string[]>> = {
  post: ['dryRun', 'fieldManager', 'fieldValidation'],
  put: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'],
};
const parameterTypes: Readonly<Record<string, string>> = {
  force: 'boolean',
  orphanDependents: 'boolean',
  gracePeriodSeconds: 'integer',
};

/** The `paths` of a document for one resource. */
export function openApiPaths(
  resource: PathResource,
  version: OpenApiVersion,
): Record<string, Operations> {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const base = `${root}/${resource.version}`;
  const scope = resource.namespaced ? `${base}/namespaces/{namespace}` : base;
  const collection = `${scope}/${resource.plural}`;
  const item = `${collection}/{name}`;
  const paths = [
    [collection, operations(resource, collectionMethods, version)],
    [item, operations(resource, methods, version)],
    ...resource.subresources.map((subresource) => [
      `${item}/${subresource.name}`,
      operations(subresource, { ...methods, ...collectionMethods }, version),
    ]),
  ];
  return Object.fromEntries(paths) as Record<string, Operations>;
}

function operations(
  endpoint: Endpoint,
  table: Readonly<Record<string, { method: string; action: string }>>,
  version: OpenApiVersion,
): Operations {
  const { group, kind, version: apiVersion } = endpoint;
  const found: Operations = {};
  for (const verb of endpoint.verbs) {
    const entry = table[verb];
    if (entry === undefined) continue;
    found[entry.method] = {
      parameters: (writeParameters[entry.method] ?? []).map((name) => parameter(name, version)),
      responses: { 200: { description: 'OK' } },
      'x-kubernetes-action': entry.action,
      'x-kubernetes-group-version-kind': { group, kind, version: apiVersion },
    };
  }
  return found;
}

function parameter(name: string, version: OpenApiVersion): object {
  const schema = { type: parameterTypes[name] ?? 'string', uniqueItems: true };
  return { name, in: 'query', ...(version === 3 ? { schema } : schema) };
}
