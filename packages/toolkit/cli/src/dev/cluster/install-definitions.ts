import {
  builtin,
  isConditionTrue,
  type ClusterScopedObject,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { CliError } from '../../errors.ts';

const ESTABLISHED_TIMEOUT_MS = 10_000;

/** Applies definitions and waits until the server serves them. Throws `CRD_NOT_ESTABLISHED`. */
export async function installDefinitions(
  client: Client,
  definitions: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(definitions.map((definition) => install(client, definition, signal)));
}

async function install(
  client: Client,
  definition: KubernetesObject,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(ESTABLISHED_TIMEOUT_MS);
  const both = AbortSignal.any([signal, timeout]);
  try {
    // A definition is cluster-scoped, which the type of an object from YAML does not say.
    const object = definition as ClusterScopedObject;
    const { metadata } = await client.apply(builtin.CustomResourceDefinition, object, {
      force: true,
      signal: both,
    });
    await untilEstablished(client, metadata.name, both);
  } catch (cause) {
    if (!timeout.aborted) throw cause;
    const crd = definition.metadata?.name ?? '';
    throw new CliError('CRD_NOT_ESTABLISHED', { crd }, { cause });
  }
}

async function untilEstablished(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const definitions = builtin.CustomResourceDefinition;
  const selection = { fieldSelector: `metadata.name=${name}`, signal };
  const { items, metadata } = await client.list(definitions, selection);
  if (items.some(({ status }) => isEstablished(status))) return;
  const { resourceVersion = '' } = metadata;
  for await (const event of client.watch(definitions, { ...selection, resourceVersion })) {
    if (event.type !== 'BOOKMARK' && isEstablished(event.object.status)) return;
  }
  // The server ended the watch.
  await untilEstablished(client, name, signal);
}

type Status = ObjectOf<typeof builtin.CustomResourceDefinition>['status'];

function isEstablished(status: Status): boolean {
  return isConditionTrue(status?.conditions ?? [], 'Established');
}
