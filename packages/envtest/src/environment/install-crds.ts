import {
  builtin,
  defineResource,
  findCondition,
  isConditionTrue,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/**
 * Applies CustomResourceDefinitions and waits until each is `Established` and its objects can be read. Throws
 * `CRD_NOT_ESTABLISHED` with what the server says instead.
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
    await establish(client, { ...crd, metadata: { ...crd.metadata, name } }, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof EnvtestError) throw error;
    // The time was over before the server said anything of the definition, or before its objects could be read.
    throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen: 'no response in time' });
  }
}

async function establish(
  client: Client,
  object: KubernetesObject,
  signal: AbortSignal,
): Promise<void> {
  let established: Definition | undefined;
  while (established === undefined) {
    // One that was being deleted is gone by the next round, and made anew.
    const applied = await client.apply(builtin.CustomResourceDefinition, object, { signal });
    established = await untilEstablished(client, applied, signal);
  }
  await untilRead(client, established, signal);
}

/** `undefined` when it has been deleted instead. */
async function untilEstablished(
  client: Client,
  applied: Definition,
  signal: AbortSignal,
): Promise<Definition | undefined> {
  if (isEstablished(applied)) return applied;
  const { name = '', resourceVersion } = applied.metadata ?? {};
  const selection = { fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  let seen = whatIsSaidOf(applied);
  try {
    for await (const event of client.watch(builtin.CustomResourceDefinition, selection)) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'DELETED') return undefined;
      if (isEstablished(event.object)) return event.object;
      seen = whatIsSaidOf(event.object);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen });
}

function isEstablished({ metadata, status }: Definition): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  return isConditionTrue(status?.conditions ?? [], 'Established');
}

function whatIsSaidOf({ metadata, status }: Definition): string {
  if (metadata?.deletionTimestamp !== undefined) return 'it is being deleted';
  return findCondition(status?.conditions ?? [], 'NamesAccepted')?.message ?? 'no conditions';
}

/**
 * Of a kind that was established a moment ago kube-apiserver says "storage is (re)initializing", 429: the client
 * asks again. An operator that started now would begin with a watch that backs off.
 */
async function untilRead(client: Client, { spec }: Definition, signal: AbortSignal): Promise<void> {
  const { group, names, scope, versions } = spec;
  const urls = { group, plural: names.plural, namespaced: scope === 'Namespaced' };
  const served = versions.filter((version) => version.served);
  await Promise.all(
    served.map((version) => {
      // Only the URL counts; a token refuses kinds in small letters, which are legal here.
      const resource = defineResource({ ...urls, version: version.name, kind: 'Installed' });
      return client.list(resource, { limit: 1, signal });
    }),
  );
}
