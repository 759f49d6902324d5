import { builtin, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EnvtestError } from '../errors.ts';
import { until } from './until.ts';

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
