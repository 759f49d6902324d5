import { builtin, isConditionTrue, type Client } from '@keelson/manager';
import type { Definition } from './definition.ts';
import { until } from './until.ts';

/** Applies custom resource definitions and waits until the server serves them. */
export async function install(client: Client, definitions: readonly Definition[]): Promise<void> {
  for (const definition of definitions) {
    await client.apply(builtin.CustomResourceDefinition, definition);
  }
  for (const { metadata } of definitions) {
    await until(client, builtin.CustomResourceDefinition, metadata, isEstablished);
  }
}

function isEstablished(definition: Definition | undefined): boolean {
  return isConditionTrue(definition?.status?.conditions, 'Established');
}
