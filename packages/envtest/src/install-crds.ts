import {
  builtin,
  defineResource,
  findCondition,
  isConditionTrue,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from './errors.ts';

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
  const object = { ...crd, metadata: { ...crd.metadata, name } };
  await client.apply(builtin.CustomResourceDefinition, object, { signal });
  await untilRead(client, await untilEstablished(client, name, signal), signal);
}

async function untilEstablished(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<Definition> {
  const resource = builtin.CustomResourceDefinition;
  let seen = 'nothing';
  try {
    const fieldSelector = `metadata.name=${name}`;
    for await (const event of client.watch(resource, { fieldSelector, signal })) {
      if (event.type === 'BOOKMARK') continue;
      const conditions = event.object.status?.conditions ?? [];
      if (isConditionTrue(conditions, 'Established')) return event.object;
      seen = findCondition(conditions, 'NamesAccepted')?.message ?? 'no conditions';
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen });
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
