import {
  builtin,
  findCondition,
  isConditionTrue,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from './errors.ts';

/**
 * Applies CustomResourceDefinitions and waits until the server says `Established` of each. Throws
 * `CRD_NOT_ESTABLISHED` with what it says instead.
 */
export async function installCrds(
  client: Client,
  crds: readonly KubernetesObject[],
  timeout: number,
): Promise<void> {
  await Promise.all(crds.map((crd) => install(client, crd, timeout)));
}

async function install(client: Client, crd: KubernetesObject, timeout: number): Promise<void> {
  const resource = builtin.CustomResourceDefinition;
  const name = crd.metadata?.name ?? '';
  const signal = AbortSignal.timeout(timeout);
  await client.apply(resource, { ...crd, metadata: { ...crd.metadata, name } }, { signal });
  let seen = 'nothing';
  try {
    const fieldSelector = `metadata.name=${name}`;
    for await (const event of client.watch(resource, { fieldSelector, signal })) {
      if (event.type === 'BOOKMARK') continue;
      const conditions = event.object.status?.conditions ?? [];
      if (isConditionTrue(conditions, 'Established')) return;
      seen = findCondition(conditions, 'NamesAccepted')?.message ?? 'no conditions';
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new EnvtestError('CRD_NOT_ESTABLISHED', { crd: name, seen });
}
