import { createReadStream } from 'node:fs';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { installDefinitions } from '../dev/cluster/install-definitions.ts';
import { CliError } from '../errors.ts';
import { boundedText } from '../output/bounded-text.ts';
import { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { anyDocuments } from '../types/sources/parse-documents.ts';
import { isJsonObject } from '../types/definition/custom-kind.ts';
import { resourceOfKind, titleOf } from './find-resource.ts';
import { namespaceOf } from './namespace-of.ts';
import type { ChosenCluster } from './session-cluster.ts';

/** The options of a server-side apply. */
export interface ApplyOptions {
  /** Default: that of the object, then that of the context. */
  readonly namespace?: string;
  readonly dryRun?: boolean;
  /** Takes over fields that other field managers own. */
  readonly forceConflicts?: boolean;
}

/**
 * Applies the documents of a file in their order. One that the server refuses does not stop the others, and makes the exit code
 * 1. Throws the errors of `objectsIn` before the first request.
 */
export async function applyObjects(
  source: string,
  options: ApplyOptions,
  { cluster, terminal, input }: { readonly cluster: ChosenCluster } & ObjectInput,
): Promise<ExitCode> {
  const failures = new Failures();
  for (const object of await objectsIn(source, input)) {
    await failures.attempt(async () => {
      terminal.print(await applyObject(object, options, cluster));
    });
  }
  failures.report(terminal);
  return failures.isEmpty ? EXIT_OK : EXIT_FAILED;
}

/** Where a command reads and prints. */
export interface ObjectInput {
  readonly terminal: Terminal;
  /** The standard input, for `-`. */
  readonly input: AsyncIterable<Uint8Array>;
}

/**
 * Reads the objects of a file; `-` is the input. A list has its items. Throws `SOURCE_UNREADABLE`, `SOURCE_INVALID`, `OBJECT_INVALID`,
 * and `OBJECTS_NOT_FOUND` for a file without one.
 */
export async function objectsIn(
  source: string,
  input: ObjectInput['input'],
): Promise<readonly KubernetesObject[]> {
  const text = await readText(source, input);
  const documents = await anyDocuments(text, source);
  const objects = documents.flatMap((document, index) =>
    objectsOf(document, `${source} (document ${index + 1}`),
  );
  if (objects.length === 0) throw new CliError('OBJECTS_NOT_FOUND', { source });
  return objects;
}

async function readText(source: string, input: ObjectInput['input']): Promise<string> {
  try {
    return await boundedText(source === '-' ? input : createReadStream(source));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('SOURCE_UNREADABLE', { source, reason }, { cause });
  }
}

/** The objects of a document; none if it is empty. `place` names it, without the closing parenthesis. */
function objectsOf(document: unknown, place: string): readonly KubernetesObject[] {
  if (document === null) return [];
  const { kind, items } = isJsonObject(document) ? document : {};
  const isList = String(kind).endsWith('List') && Array.isArray(items);
  if (!isList) return [checked(document, `${place})`)];
  return items.map((item, index) => checked(item, `${place}, item ${index + 1})`));
}

function checked(object: unknown, source: string): KubernetesObject {
  const { apiVersion, kind, metadata } = (isJsonObject(object) ? object : {}) as KubernetesObject;
  for (const [member, value] of Object.entries({ apiVersion, kind, name: metadata?.name })) {
    if (typeof value === 'string' && value !== '') continue;
    const path = member === 'name' ? 'metadata.name' : member;
    throw new CliError('OBJECT_INVALID', { source, path, reason: 'must be a text' });
  }
  return object as KubernetesObject;
}

async function applyObject(
  object: KubernetesObject,
  { dryRun = false, forceConflicts = false, namespace: given }: ApplyOptions,
  { client, namespace: fallback }: ChosenCluster,
): Promise<string> {
  const { apiVersion = '', kind = '', metadata = {} } = object;
  const resource = await resourceOfKind(client, apiVersion, kind);
  const name = metadata.name ?? '';
  const title = titleOf(resource, name);
  const namespace = namespaceOf(resource, object, { given, fallback });
  const place = namespace === undefined ? {} : { namespace };
  const placed = { ...object, metadata: { ...metadata, ...place } };
  await client.apply(resource, placed, { force: forceConflicts, dryRun });
  // Objects of the kind may follow in the same file.
  if (kind === builtin.CustomResourceDefinition.kind && !dryRun) {
    await installDefinitions(client, [placed], AbortSignal.timeout(30_000));
    client.discovery.invalidate();
  }
  return `${title} ${dryRun ? 'applied (dry run)' : 'applied'}`;
}
