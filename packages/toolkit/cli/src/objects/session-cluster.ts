import { resolve } from 'node:path';
import { createClient, loadCluster, type Client } from '@keelson/client';
import { CliError } from '../errors.ts';
import { findSessionKubeconfig } from '../dev/cluster/kubeconfig-file.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The options that choose a cluster. */
export interface ClusterOptions {
  readonly project: string;
  readonly cluster?: boolean;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** A client, and the namespace of objects that name none. */
export interface ChosenCluster {
  readonly client: Client;
  readonly namespace: string;
}

/**
 * Connects with the server of the session of `keelson dev` that runs for the project, or with the cluster that the options name. The
 * environment variable `KUBECONFIG` counts only with `--cluster` and `--context`, so that no real cluster is changed by mistake. Throws
 * `DEV_NOT_RUNNING` and the errors of `loadCluster`.
 */
export async function chosenCluster(
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ChosenCluster> {
  const { cluster: isExisting, kubeconfig, context, project } = options;
  const isChosen = isExisting === true || kubeconfig !== undefined || context !== undefined;
  const file = isChosen ? kubeconfig : await sessionFile(project);
  const cluster = await loadCluster({ file, context });
  const client = createClient({
    cluster,
    fieldManager: 'keelson',
    observer: { warning: ({ text }) => terminal.complain(`Warning: ${text}`) },
  });
  return { client, namespace: cluster.namespace ?? 'default' };
}

async function sessionFile(project: string): Promise<string> {
  const folder = resolve(project);
  const file = await findSessionKubeconfig(folder);
  if (file === undefined) throw new CliError('DEV_NOT_RUNNING', { project: folder });
  return file;
}
