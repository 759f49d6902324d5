/**
 * Records the OpenAPI documents of a real kube-apiserver without CustomResourceDefinitions:
 *
 *     kubectl proxy --port 8001 & npm run record:openapi -- http://127.0.0.1:8001
 *
 * `data/openapi.json.br` then holds its own documents, and those of two definitions that are made here as templates:
 * what a definition names in them is replaced by placeholders.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';

const server = process.argv[2];
if (server === undefined)
  throw new Error('usage: npm run record:openapi -- URL_OF_A_KUBECTL_PROXY');

type Json = Record<string, unknown>;

interface Document {
  paths: Record<string, object>;
  components?: { schemas?: Record<string, object> };
}

/** Words of the definitions below and their placeholders in a template. Longer words come first. */
const placeholders: readonly (readonly [RegExp, string])[] = [
  [/RecordKeelsonTestV7tpl(\w*?)Zzkind/g, '${operationGroup}$1${operationKind}'],
  [/recordKeelsonTest_v7tpl/g, '${tag}'],
  [/test\.keelson\.record\.v7tpl/g, '${prefix}'],
  [/record\.keelson\.test/g, '${group}'],
  [/v7tpl/g, '${version}'],
  [/\ba Zzkind/g, '${article} ${kind}'],
  [/Zzlist/g, '${listKind}'],
  [/Zzkind/g, '${kind}'],
  [/zzplural/g, '${plural}'],
];

const group = '/apis/record.keelson.test/v7tpl';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const schemas: Record<string, object> = {};
const sections = new Map<string, unknown>();

const { gitVersion } = (await get('/version')) as { gitVersion: string };
sections.set('kubernetes', gitVersion);
sections.set('schemas', schemas);
await recordOwn();
for (const scope of ['Namespaced', 'Cluster']) await recordTemplates(scope);
const lines = [...sections].map(([key, value]) => `${key}\t${JSON.stringify(value)}`);
writeFileSync(join(import.meta.dirname, 'openapi.json.br'), compressed(`${lines.join('\n')}\n`));

async function recordOwn(): Promise<void> {
  const { paths } = (await get('/openapi/v3')) as { paths: object };
  for (const path of Object.keys(paths).filter(isServed)) {
    sections.set(`v3/${path}`, split((await get(`/openapi/v3/${path}`)) as Document));
  }
  const swagger = (await get('/openapi/v2')) as Document;
  const own = Object.entries(swagger.paths).filter(([path]) => isServed(path.slice(1)));
  sections.set('v2', { ...swagger, paths: Object.fromEntries(own) });
}

/** The server of this package publishes no keys for the tokens it issues. */
function isServed(path: string): boolean {
  return !path.startsWith('.well-known/') && !path.startsWith('openid/');
}

/** Most schemas are the same in every document; the others list the groups that a document is about. */
function split({ components, ...document }: Document): object {
  const present = Object.entries(components?.schemas ?? {});
  for (const [name, schema] of present) schemas[name] ??= schema;
  const own = present.filter(([name, schema]) => !isDeepStrictEqual(schemas[name], schema));
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(own) },
    shared: present.map(([name]) => name),
  };
}

async function recordTemplates(scope: string): Promise<void> {
  await send('POST', definitions, definitionOf(scope));
  try {
    const document = (await waitFor(`/openapi/v3${group}`, 200)) as Document;
    const { paths, components } = split(document) as Document;
    const own = Object.entries(components?.schemas ?? {}).filter(([name]) => name in schemas);
    sections.set(`template/3/${scope}`, template({ paths, schemas: Object.fromEntries(own) }));
    sections.set(`template/2/${scope}`, template({ paths: await swaggerPaths() }));
  } finally {
    await send('DELETE', `${definitions}/zzplural.record.keelson.test`);
    await waitFor(`/openapi/v3${group}`, 404);
  }
}

async function swaggerPaths(): Promise<object> {
  const swagger = (await get('/openapi/v2')) as Document;
  const found = Object.entries(swagger.paths).filter(([path]) => path.startsWith(`${group}/`));
  if (found.length > 0) return Object.fromEntries(found);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return swaggerPaths();
}

function template(recorded: object): unknown {
  let text = JSON.stringify(recorded);
  for (const [word, placeholder] of placeholders) text = text.replaceAll(word, placeholder);
  return JSON.parse(text);
}

function definitionOf(scope: string): Json {
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  };
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'zzplural.record.keelson.test' },
    spec: {
      group: 'record.keelson.test',
      scope,
      names: { plural: 'zzplural', kind: 'Zzkind', listKind: 'Zzlist' },
      versions: [{ name: 'v7tpl', served: true, storage: true, schema, subresources }],
    },
  };
}

function compressed(text: string): Buffer {
  return brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

async function get(path: string): Promise<unknown> {
  return (await fetch(`${server}${path}`)).json();
}

async function send(method: string, path: string, body?: Json): Promise<void> {
  const response = await fetch(`${server}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
}

/** Asks until a document is published, or is no more. */
async function waitFor(path: string, status: number): Promise<unknown> {
  const response = await fetch(`${server}${path}`);
  if (response.status === status) return status === 200 ? response.json() : undefined;
  await response.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return waitFor(path, status);
}
