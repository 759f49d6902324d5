import { randomBytes } from 'node:crypto';
import { install, until } from '@keelson/example-support';
import { builtin, isNotFound, type ApiResource, type Client } from '@keelson/manager';
import { shopDefinition } from './shop.ts';

/** Milliseconds that the deletion of a namespace on a real cluster may take. */
const TIMEOUT_MS = 120_000;

/** A namespace of the demo's own on a cluster that serves Shops. */
export interface DemoNamespace {
  readonly namespace: string;
  /** Deletes the namespace, and the definition of Shops if the demo installed it. */
  remove(): Promise<void>;
}

/** Installs the definition of Shops where it is missing and makes a namespace. */
export async function claimNamespace(client: Client): Promise<DemoNamespace> {
  const definition = { name: shopDefinition.metadata.name };
  const defined = await exists(client, definition);
  await install(client, [shopDefinition]);
  const namespace = `keelson-demo-${randomBytes(4).toString('hex')}`;
  await client.create(builtin.Namespace, { metadata: { name: namespace } });
  return {
    namespace,
    async remove() {
      await removeAndWait(client, builtin.Namespace, { name: namespace });
      if (!defined) await removeAndWait(client, builtin.CustomResourceDefinition, definition);
    },
  };
}

async function exists(client: Client, name: { name: string }): Promise<boolean> {
  try {
    await client.get(builtin.CustomResourceDefinition, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function removeAndWait(
  client: Client,
  resource: ApiResource,
  name: { name: string },
): Promise<void> {
  await client.delete(resource, name);
  await until(client, resource, name, (object) => object === undefined, { timeout: TIMEOUT_MS });
}
