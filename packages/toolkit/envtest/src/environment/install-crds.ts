import {
  builtin,
  findCondition,
  isConditionTrue,
  isNotFound,
  type ClusterScopedObject,
  type KubernetesObject,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';
import { until } from './until.ts';

type Definition = Persisted<ObjectOf<typeof builtin.CustomResourceDefinition>>;

/**
 * Applies CustomResourceDefinitions and waits until each is `Established` and the server lists its objects. Throws
 * `CRD_NOT_ESTABLISHED` with the last reason of the server.
 */
export async function installCrds(
  client: Client,
  crds: readonly KubernetesObject[],
  timeout: number,
): Promise<void> {
  await Promise.all(crds.map((crd) => install(client, crd, timeout)));
}

async function install(client: Client, crd: KubernetesObject, timeout: number): Promise<void> {
  const name = crd.metadata?.name ?? '';
  const signal = AbortSignal.timeout(timeout);
  try {
    // A definition is cluster-scoped, which the type of an object from YAML does not say.
    const definition = { ...crd, metadata: { ...crd.metadata, name } } as ClusterScopedObject;
    await establish(client, definition, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof EnvtestError) throw error;
    // The timeout expired before the first response, or before the server listed the objects.
    throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen: 'no response in time' });
  }
}

async function establish(
  client: Client,
  object: ClusterScopedObject,
  signal: AbortSignal,
): Promise<void> {
  let established: Definition | undefined;
  while (established === undefined) {
    // If the definition was being deleted, the next round creates it again.
    const applied = await client.apply(builtin.CustomResourceDefinition, object, { signal });
    established = await untilEstablished(client, applied, signal);
  }
  await untilRead(client, established, signal);
}

/** Waits for `Established`; returns `undefined` if the definition was deleted. */
async function untilEstablished(
  client: Client,
  applied: Definition,
  signal: AbortSignal,
): Promise<Definition | undefined> {
  if (isEstablished(applied)) return applied;
  const { name, resourceVersion } = applied.metadata;
  const selection = { fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  let seen = progressOf(applied);
  try {
    for await (const event of client.watch(builtin.CustomResourceDefinition, selection)) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'DELETED') return undefined;
      if (isEstablished(event.object)) return event.object;
      seen = progressOf(event.object);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen });
}

function isEstablished({ metadata, status }: Definition): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return isConditionTrue(status?.conditions ?? [], 'Established');
}

function progressOf({ metadata, status }: Definition): string {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  return findCondition(status?.conditions ?? [], 'NamesAccepted')?.message ?? 'no conditions';
}

/**
 * kube-apiserver rejects requests for a new kind for a short time: 429 "storage is (re)initializing". The client
 * retries them here, so that the first watch of an operator does not fail and back off.
 */
async function untilRead(client: Client, { spec }: Definition, signal: AbortSignal): Promise<void> {
  const { group, names, versions } = spec;
  const served = versions.filter((version) => version.served);
  await Promise.all(
    served.map(({ name }) => {
      // Without a typed verb: defineResource rejects kinds in lower case, which a definition may have.
      const path = `/apis/${group}/${name}/${names.plural}`;
      return client.request({ path, query: { limit: 1 }, signal });
    }),
  );
}

/** Deletes CustomResourceDefinitions and waits until they are gone. Throws `CRD_NOT_REMOVED`. */
export async function uninstallCrds(
  client: Client,
  crds: readonly KubernetesObject[],
  timeout: number,
): Promise<void> {
  await Promise.all(crds.map((crd) => uninstall(client, crd.metadata?.name ?? '', timeout)));
}

async function uninstall(client: Client, name: string, timeout: number): Promise<void> {
  const crds = builtin.CustomResourceDefinition;
  try {
    await client.delete(crds, { name });
    await until(client, crds, { name }, (crd) => crd === undefined, { timeout });
  } catch (cause) {
    if (isNotFound(cause)) return;
    if (!(cause instanceof EnvtestError)) throw cause;
    throw new EnvtestError('CRD_NOT_REMOVED', { crd: name, seen: cause.facts['seen'] }, { cause });
  }
}
