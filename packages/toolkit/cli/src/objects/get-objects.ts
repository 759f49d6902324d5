import type { KubernetesObject } from '@keelson/apimachinery';
import { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { findResource, titleOf, type Served } from './find-resource.ts';
import { objectPath } from './object-path.ts';
import type { ObjectWords } from './object-words.ts';
import { tableLines, type ServerTable } from './object-table.ts';
import type { ChosenCluster } from './session-cluster.ts';

/** The forms of the output. */
export const outputForms = ['yaml', 'json', 'name', 'wide'] as const;

/** `yaml`, `json`, `name` or `wide`. */
export type OutputForm = (typeof outputForms)[number];

/** The options of `keelson get`. */
export interface GetOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly output?: OutputForm;
}

/** A resource, and the names of its objects; none for all. */
export interface ObjectQuery {
  readonly resource: Served;
  readonly names: readonly string[];
  readonly namespace: string | undefined;
}

/** Finds the resource of words. Throws `RESOURCE_NOT_FOUND`. */
export async function queryOf(
  { type, names }: ObjectWords,
  { namespace, allNamespaces = false }: Pick<GetOptions, 'namespace' | 'allNamespaces'>,
  { client, namespace: fallback }: ChosenCluster,
): Promise<ObjectQuery> {
  const resource = await findResource(client, type);
  const isEverywhere = allNamespaces || !resource.namespaced;
  return { resource, names, namespace: isEverywhere ? undefined : (namespace ?? fallback) };
}

/** Prints objects, by default as the table that the server makes of them. */
export async function getObjects(
  query: ObjectQuery,
  options: GetOptions,
  { cluster, terminal }: { readonly cluster: ChosenCluster; readonly terminal: Terminal },
): Promise<ExitCode> {
  const failures = new Failures();
  const isTable = options.output === undefined || options.output === 'wide';
  const accept = isTable ? 'application/json;as=Table;v=v1;g=meta.k8s.io' : 'application/json';
  const found: unknown[] = [];
  for (const path of pathsOf(query)) {
    await failures.attempt(async () => {
      const request = { path, query: { labelSelector: options.selector }, headers: { accept } };
      found.push(JSON.parse((await cluster.client.request(request)).body));
    });
  }
  if (isTable) printTables(found as ServerTable[], query, options, terminal);
  else await printObjects(found as KubernetesObject[], query, options.output ?? 'yaml', terminal);
  failures.report(terminal);
  return failures.isEmpty ? EXIT_OK : EXIT_FAILED;
}

function pathsOf({ resource, namespace, names }: ObjectQuery): readonly string[] {
  if (names.length === 0) return [objectPath(resource, namespace)];
  return names.map((name) => objectPath(resource, namespace, name));
}

function printTables(
  tables: readonly ServerTable[],
  { namespace, resource }: ObjectQuery,
  { output, allNamespaces = false }: GetOptions,
  terminal: Terminal,
): void {
  if (tables.length === 0) return;
  if (tables.every(({ rows }) => rows.length === 0)) {
    const place = namespace === undefined ? '' : ` in ${namespace} namespace`;
    terminal.complain(`No resources found${place}.`);
    return;
  }
  const hasNamespaces = allNamespaces && resource.namespaced;
  for (const line of tableLines(tables, { isWide: output === 'wide', hasNamespaces })) {
    terminal.print(line);
  }
}

async function printObjects(
  found: readonly KubernetesObject[],
  { resource, names }: ObjectQuery,
  output: OutputForm,
  terminal: Terminal,
): Promise<void> {
  const objects = found.flatMap(itemsOf).map(withoutManagedFields);
  if (output === 'name') {
    for (const { metadata } of objects) terminal.print(titleOf(resource, metadata?.name ?? ''));
    return;
  }
  const [one] = objects;
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  const value = names.length === 1 ? one : list;
  if (value === undefined) return;
  if (output === 'json') return terminal.print(JSON.stringify(value, undefined, 4));
  const { dump } = await import('js-yaml');
  terminal.write(dump(value, { noRefs: true, lineWidth: -1 }));
}

/** The items of a list lack `apiVersion` and `kind` on some servers. */
function itemsOf(object: KubernetesObject): readonly KubernetesObject[] {
  const {
    kind = '',
    apiVersion = '',
    items,
  } = object as KubernetesObject & {
    items?: KubernetesObject[];
  };
  if (items === undefined) return [object];
  return items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ''), ...item }));
}

/** They are long, and kubectl hides them too. */
function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _fields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
