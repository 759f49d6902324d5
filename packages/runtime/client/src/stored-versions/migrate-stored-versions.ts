import {
  builtin,
  checkCount,
  checkMethods,
  checkOptions,
  checkSignal,
  invalidOption,
  isConflict,
  isNotFound,
  keyOf,
  type ApiResource,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { nameOf } from '../verbs/calls/resource-path.ts';
import type { Client } from '../verbs/client.ts';

/** Which stored objects are written again. */
export interface MigrateStoredVersionsOptions {
  /** The client of the cluster. It needs the permissions to list and patch the objects, and to change the definition's status. */
  readonly client: Client;
  /** A version of the custom resource. */
  readonly resource: ApiResource;
  /** The most patches at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /** Aborts the requests; a later call begins again. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a migration. */
export interface StoredVersionsMigration {
  /** The version in which all objects are stored now. */
  readonly storage: string;
  /** The versions that were removed from `status.storedVersions`; none if all objects were stored in the storage version. */
  readonly removed: readonly string[];
  /** The objects that were sent to the server. */
  readonly objects: number;
}

type Definition = Persisted<ObjectOf<typeof builtin.CustomResourceDefinition>>;

const DEFAULT_CONCURRENCY = 8;
/** Passes over all objects, of which each but the last one ended with a change of the definition. */
const MAX_PASSES = 3;
/** The most objects that an error names. */
const MAX_NAMES = 10;

/**
 * Makes the server store every object of a custom resource in the storage version of its definition, and removes the other
 * versions from `status.storedVersions`: then they may leave the definition. Each object gets an empty patch, which the server
 * writes only if the object is stored in another version. Sends one request if there is nothing to migrate.
 *
 * Call it when all replicas of kube-apiserver know the new storage version, some seconds after the definition has changed. Rejects
 * with `MIGRATION_FAILED` if the server refuses an object, or the definition changes all the time; `storedVersions` is
 * unchanged then. Rejects with `KIND_NOT_SERVED` if no version is served.
 *
 * @example
 * ```ts
 * import {
 *   createClient,
 *   defineResource,
 *   loadCluster,
 *   migrateStoredVersions,
 * } from '@keelson/manager';
 *
 * const Website = defineResource({
 *   group: 'example.com',
 *   version: 'v2',
 *   kind: 'Website',
 *   plural: 'websites',
 * });
 * await using client = createClient({ cluster: await loadCluster() });
 * const { objects } = await migrateStoredVersions({ client, resource: Website });
 * console.log(`${objects} objects are stored as v2`);
 * ```
 */
export async function migrateStoredVersions(
  options: MigrateStoredVersionsOptions,
): Promise<StoredVersionsMigration> {
  check(options);
  let definition = await read(options);
  for (let pass = 1; ; pass += 1) {
    const { storage, others } = versionsOf(definition);
    if (others.length === 0) return { storage, removed: [], objects: 0 };
    const objects = await rewriteAll(servedToken(options.resource, definition), options);
    const now = await read(options);
    if (isSame(definition, now) && (await removeVersions(now, options))) {
      return { storage, removed: others, objects };
    }
    const { name: crd } = now.metadata;
    if (pass === MAX_PASSES) {
      throw new ClientError('MIGRATION_FAILED', { crd, reason: 'the definition was changed' });
    }
    definition = now;
  }
}

function check(options: MigrateStoredVersionsOptions): void {
  const where = 'migrateStoredVersions';
  checkOptions(options, ['client', 'resource', 'concurrency', 'signal'], where);
  const { client, resource, concurrency, signal } = options;
  checkMethods(client, ['get', 'items', 'patch', 'status'], `${where}.client`);
  const { plural, group } = (resource as Partial<ApiResource> | null) ?? {};
  if (!plural || !group) {
    throw invalidOption(`${where}.resource`, 'must be the token of a custom resource');
  }
  if (concurrency !== undefined) checkCount(concurrency, `${where}.concurrency`);
  checkSignal(signal, `${where}.signal`);
}

function read({ client, resource, signal }: MigrateStoredVersionsOptions): Promise<Definition> {
  const name = `${resource.plural}.${resource.group}`;
  return client.get(builtin.CustomResourceDefinition, { name }, { signal });
}

/** The storage version, and the others in which objects may be stored. */
function versionsOf({ spec, status }: Definition): {
  readonly storage: string;
  readonly others: readonly string[];
} {
  const storage = spec.versions.find((version) => version.storage)?.name ?? '';
  return { storage, others: (status?.storedVersions ?? []).filter((name) => name !== storage) };
}

/** The storage version needs no conversion for a list, but it need not be served. */
function servedToken(resource: ApiResource, { metadata, spec }: Definition): ApiResource {
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version !== undefined) return { ...resource, version: version.name };
  throw new ClientError('KIND_NOT_SERVED', { kind: spec.names.kind, crd: metadata.name });
}

/** An object that is created during the list is stored in the storage version. */
async function rewriteAll(
  token: ApiResource,
  { client, concurrency = DEFAULT_CONCURRENCY, signal }: MigrateStoredVersionsOptions,
): Promise<number> {
  const failures: Failure[] = [];
  let objects = 0;
  let batch: Promise<void>[] = [];
  const rewritten = async (object: Persisted): Promise<void> => {
    try {
      await rewrite(token, object, { client, signal });
    } catch (error) {
      failures.push({ name: keyOf(object), error });
    }
  };
  for await (const object of client.items(token, { signal })) {
    objects += 1;
    batch.push(rewritten(object));
    if (batch.length < concurrency) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  signal?.throwIfAborted();
  if (failures.length > 0) throw failed(token, failures);
  return objects;
}

interface Failure {
  readonly name: string;
  readonly error: unknown;
}

/** The uid keeps a new object of the same name out, which is stored in the storage version. */
async function rewrite(
  token: ApiResource,
  object: Persisted,
  { client, signal }: Pick<MigrateStoredVersionsOptions, 'client' | 'signal'>,
): Promise<void> {
  const { uid } = object.metadata;
  try {
    const body = { metadata: { uid } };
    await client.patch(token, nameOf(token, object), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function failed({ plural, group }: ApiResource, failures: readonly Failure[]): ClientError {
  const names = failures.slice(0, MAX_NAMES).map(({ name }) => name);
  const errors = failures.map(({ error }) => error);
  const cause = errors.length === 1 ? errors[0] : new AggregateError(errors);
  const facts = { crd: `${plural}.${group}`, count: failures.length, failed: names };
  return new ClientError('MIGRATION_FAILED', facts, { cause });
}

/** The storage version may have changed twice, so that it is the same. */
function isSame({ metadata: before }: Definition, { metadata: now }: Definition): boolean {
  return before.uid === now.uid && before.generation === now.generation;
}

/** Resolves to false if the definition has changed since it was read. */
async function removeVersions(
  definition: Definition,
  { client, signal }: MigrateStoredVersionsOptions,
): Promise<boolean> {
  const { name, resourceVersion } = definition.metadata;
  const { storage } = versionsOf(definition);
  try {
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'replace', path: '/status/storedVersions', value: [storage] },
    ] as const;
    const definitions = client.status(builtin.CustomResourceDefinition);
    await definitions.patch({ name }, { type: 'json', body }, { signal });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
