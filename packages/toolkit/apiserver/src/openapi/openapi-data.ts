import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../data-file.ts';
import { lazy } from '@keelson/structural-schema';

/** Schemas of a document by name; they refer to each other by `$ref`. */
export type Schemas = Readonly<Record<string, object>>;

/** An OpenAPI 3 document recorded from kube-apiserver, without the schemas that it shares with other documents. */
export interface RecordedDocument {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Schemas };
  /** The names of all its schemas, in the recorded order. */
  readonly shared: readonly string[];
}

/** The Swagger document of a server without custom resources. */
export interface RecordedSwagger {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Schemas;
  readonly parameters: Readonly<Record<string, object>>;
}

/** The recorded paths and schemas of a definition with status and scale; placeholders mark the names. */
export interface Template {
  readonly paths: Readonly<Record<string, object>>;
  /** Schemas whose form differs between documents, in the form for custom resources. */
  readonly schemas?: Schemas;
}

/**
 * Sections of the recorded documents, 8 MB of text. The file is unpacked on the first request and parsed per section.
 */
const sections = lazy(() => {
  const bytes = brotliDecompressSync(readDataFile('openapi.json.br'));
  const found = new Map<string, Buffer>();
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf('\n', from);
    const tab = bytes.indexOf('\t', from);
    found.set(bytes.toString('latin1', from, tab), bytes.subarray(tab + 1, end));
    from = end + 1;
  }
  return found;
});

/** Returns the schemas that the recorded documents share, in the form of OpenAPI 3. */
export function recordedSchemas(): Schemas {
  return (section('schemas') ?? {}) as Schemas;
}

/** Returns the paths below `/openapi/v3` that have a recorded document: `api/v1`, `apis/apps/v1`. */
export function recordedPaths(): string[] {
  return [...sections().keys()].filter((key) => key.startsWith('v3/')).map((key) => key.slice(3));
}

export function recordedDocument(path: string): RecordedDocument | undefined {
  return section(`v3/${path}`) as RecordedDocument | undefined;
}

export function recordedSwagger(): RecordedSwagger {
  return section('v2') as RecordedSwagger;
}

/** Returns the text of a template; the caller replaces its placeholders. */
export function templateText(version: 2 | 3, scope: 'Namespaced' | 'Cluster'): string {
  return sections().get(`template/${version}/${scope}`)?.toString() ?? '{}';
}

function section(key: string): unknown {
  const bytes = sections().get(key);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString());
}
