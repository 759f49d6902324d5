import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../schema/data-file.ts';
import { lazy } from '../schema/lazy.ts';

/** A schema of a document; it refers to others by `$ref`. */
export type Schemas = Readonly<Record<string, object>>;

/** A document of OpenAPI 3 as it was recorded: the schemas that it shares with others stand elsewhere. */
export interface RecordedDocument {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Schemas };
  /** The names of all its schemas, in their order. */
  readonly shared: readonly string[];
}

/** The Swagger document of a server without custom resources. */
export interface RecordedSwagger {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Schemas;
  readonly parameters: Readonly<Record<string, object>>;
}

/** What the documents have for a definition with status and scale; its names are placeholders. */
export interface Template {
  readonly paths: Readonly<Record<string, object>>;
  /** In the form that documents of custom resources have: schemas that differ from document to document. */
  readonly schemas?: Schemas;
}

/** Eight megabytes of text: unpacked for those who ask, such as `kubectl explain`, and read by the section. */
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

/** The schemas that the recorded documents share, in the form of OpenAPI 3. */
export function recordedSchemas(): Schemas {
  return (section('schemas') ?? {}) as Schemas;
}

/** The paths below `/openapi/v3` that have a recorded document: `api/v1`, `apis/apps/v1`. */
export function recordedPaths(): string[] {
  return [...sections().keys()].filter((key) => key.startsWith('v3/')).map((key) => key.slice(3));
}

export function recordedDocument(path: string): RecordedDocument | undefined {
  return section(`v3/${path}`) as RecordedDocument | undefined;
}

export function recordedSwagger(): RecordedSwagger {
  return section('v2') as RecordedSwagger;
}

/** The text of a template, for its placeholders to be replaced. */
export function templateText(version: 2 | 3, scope: 'Namespaced' | 'Cluster'): string {
  return sections().get(`template/${version}/${scope}`)?.toString() ?? '{}';
}

function section(key: string): unknown {
  const bytes = sections().get(key);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString());
}
