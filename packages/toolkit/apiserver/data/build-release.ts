/**
 * Makes the data file of an older Kubernetes version: what differs from the newest one, whose data are in the other files.
 *
 *     npm run data:release -- $(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3 $(go env GOMODCACHE)/k8s.io/kubernetes@v1.34.4
 *
 * Both source trees are Go modules; `go mod download -json k8s.io/kubernetes@v1.34.4` fetches one, and the same command those
 * of `k8s.io/api`, `apimachinery`, `apiextensions-apiserver` and `kube-aggregator` at `v0.34.4`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { GoSource } from './build/go-types.ts';
import { KindsBuilder, type KindsFile, type OpenApiSchema } from './build/kinds.ts';
import { openApiFiles, readJson, readResources } from './build/resources.ts';

type Members = Record<string, unknown>;

const [newer, older] = process.argv.slice(2);
if (newer === undefined || older === undefined) {
  throw new Error(
    'usage: npm run data:release -- PATH_OF_THE_NEWEST_SOURCE PATH_OF_THE_OLDER_SOURCE',
  );
}
const kubernetes = versionOf(older);
const minor = /^v(1\.\d+)\./.exec(kubernetes)?.[1] ?? '';
const file = {
  kubernetes,
  resources: gone(resourceIds(newer), resourceIds(older)),
  types: difference(kindsOf(newer).types, kindsOf(older).types, (_before, after) => after),
  paths: gone(pathsOf(newer), pathsOf(older)),
  schemas: difference(schemasOf(newer), schemasOf(older), mergePatch),
  definitions: difference(definitionsOf(newer), definitionsOf(older), mergePatch),
};
const text = JSON.stringify(file);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
writeFileSync(
  join(import.meta.dirname, `release-${minor}.json.br`),
  brotliCompressSync(text, { params }),
);

function versionOf(source: string): string {
  const version = /@(v1\.[\d.]+)\/?$/.exec(source)?.[1];
  if (version === undefined) throw new Error(`${source} does not end with @v1.MINOR.PATCH`);
  return version;
}

function resourceIds(source: string): string[] {
  return readResources(source).map(({ group, version, plural }) =>
    [group, version, plural].filter((part) => part !== '').join('/'),
  );
}

function kindsOf(source: string): KindsFile {
  const go = new GoSource(dirname(source), versionOf(source).replace(/^v1/, 'v0'));
  return new KindsBuilder(schemasOf(source) as Record<string, OpenApiSchema>, go).build();
}

function schemasOf(source: string): Members {
  const schemas: Members = {};
  for (const path of openApiFiles(source).values()) {
    const document = readJson(path) as { components: { schemas: Members } };
    Object.assign(schemas, document.components.schemas);
  }
  return schemas;
}

/** The definitions of the Swagger document; those of kinds in alpha and beta are in no document of a default server. */
function definitionsOf(source: string): Members {
  const names = new Set(Object.keys(schemasOf(source)));
  const { definitions } = swaggerOf(source);
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => names.has(name)));
}

function pathsOf(source: string): string[] {
  const documents = [...openApiFiles(source).values()].map(
    (path) => readJson(path) as { paths: object },
  );
  return documents.flatMap(({ paths }) => Object.keys(paths));
}

function swaggerOf(source: string): { readonly definitions: Members } {
  return JSON.parse(readFileSync(join(source, 'api/openapi-spec/swagger.json'), 'utf8')) as {
    definitions: Members;
  };
}

function gone(before: readonly string[], after: readonly string[]): string[] {
  const kept = new Set(after);
  return [...new Set(before.filter((each) => !kept.has(each)))];
}

/** The entries that differ; null for those that the older version does not have. */
function difference<T>(
  before: Record<string, T>,
  after: Record<string, T>,
  change: (before: T, after: T) => unknown,
): Members {
  const changed: Members = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]];
    if (isDeepStrictEqual(one, other)) continue;
    if (other === undefined) changed[name] = null;
    else changed[name] = one === undefined ? other : change(one, other);
  }
  return changed;
}

/** A JSON merge patch (RFC 7396). The schemas contain no null. */
function mergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const patch: Members = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[name], after[name])) continue;
    patch[name] = after[name] === undefined ? null : mergePatch(before[name], after[name]);
  }
  return patch;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
