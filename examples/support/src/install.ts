import { builtin, isConditionTrue, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { until } from './until.ts';

/** The type of a CustomResourceDefinition's JSON. */
export type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** Applies custom resource definitions and waits until the server serves them. */
export async function install(client: Client, definitions: readonly Definition[]): Promise<void> {
  for (const definition of definitions) {
    await client.apply(builtin.CustomResourceDefinition, definition);
  }
  const established = (definition: Definition | undefined): boolean =>
    isConditionTrue(definition?.status?.conditions, 'Established');
  for (const { metadata } of definitions) {
    const name = metadata?.name ?? '';
    await until(client, builtin.CustomResourceDefinition, { name }, established);
  }
}
