import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { CliError } from '../../errors.ts';

/** Selects the cluster of `cluster:` sources. */
export interface ClusterOptions {
  /** The path of a kubeconfig. Default: `$KUBECONFIG`, then `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** The name of a context. Default: the current context. */
  readonly context?: string | undefined;
}

/**
 * Reads the definitions of a cluster. `selection` is the name of a definition (`gateways.gateway.networking.k8s.io`),
 * an API group, or empty for all definitions. Throws `SOURCE_UNREADABLE`.
 */
export async function readCluster(
  selection: string,
  { kubeconfig: file, context }: ClusterOptions,
): Promise<readonly unknown[]> {
  try {
    const { createClient, loadCluster } = await import('@keelson/client');
    const cluster = await loadCluster({ file, context });
    await using client = createClient({ cluster });
    return await definitionsOf(client, selection);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('SOURCE_UNREADABLE', { source: `cluster:${selection}`, reason }, { cause });
  }
}

async function definitionsOf(client: Client, selection: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const definition of client.items(builtin.CustomResourceDefinition)) {
    const isSelected =
      selection === '' ||
      definition.metadata.name === selection ||
      definition.spec.group === selection;
    if (isSelected) found.push(definition);
  }
  return found;
}
