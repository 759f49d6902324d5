import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createClient, loadCluster, type Client } from '@keelson/client';
import type { DevCluster, PreparedContent } from './dev-cluster.ts';
import { developmentExtension } from './development-extension.ts';
import { installDefinitions } from './install-definitions.ts';

/** The choice of an existing cluster. */
export interface ExistingClusterOptions {
  /** The path of a kubeconfig. Default: `$KUBECONFIG`, then `~/.kube/config`. */
  readonly kubeconfig: string | undefined;
  /** The name of a context. Default: the current context. */
  readonly context: string | undefined;
  /** True to apply the definitions of the project. */
  readonly installCrds: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** A cluster of a kubeconfig. Nothing is written there without `installCrds`. */
export class ExistingCluster implements DevCluster {
  readonly kubeconfig: string;
  readonly credentialsFile = undefined;
  readonly description: readonly string[];
  readonly installsDefinitions: boolean;
  readonly #client: Client;
  readonly #folder: string;

  private constructor(
    server: string,
    client: Client,
    place: { readonly kubeconfig: string; readonly folder: string },
    { installCrds }: ExistingClusterOptions,
  ) {
    this.kubeconfig = place.kubeconfig;
    this.installsDefinitions = installCrds;
    this.description = [`server      ${server}`];
    this.#client = client;
    this.#folder = place.folder;
  }

  /** Throws the errors of `loadCluster`. */
  static async open(options: ExistingClusterOptions): Promise<ExistingCluster> {
    const { kubeconfig: file, context } = options;
    const cluster = await loadCluster({ file, context });
    const place = await placeOf(options);
    const client = createClient({ cluster, fieldManager: 'keelson-dev' });
    return new ExistingCluster(cluster.server, client, place, options);
  }

  async prepare(
    { definitions }: Pick<PreparedContent, 'definitions'>,
    signal: AbortSignal,
  ): Promise<void> {
    await installDefinitions(this.#client, definitions, signal);
  }

  async callWebhooks(): Promise<number> {
    return 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Returns the value of `KUBECONFIG` for the program. A small file in front of the others marks the development, and chooses a
 * context: the first file with a current context wins, so that no credentials are copied.
 */
async function placeOf({
  kubeconfig,
  context,
  env,
}: ExistingClusterOptions): Promise<{ kubeconfig: string; folder: string }> {
  const listed = kubeconfig ?? (env['KUBECONFIG'] || join(homedir(), '.kube', 'config'));
  // The program runs in the folder of the project, where relative paths have another meaning.
  const files = listed
    .split(delimiter)
    .filter((file) => file !== '')
    .map((file) => resolve(file))
    .join(delimiter);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dev-'));
  const first = join(folder, 'development');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    ...(context !== undefined && { 'current-context': context }),
    extensions: [developmentExtension],
  };
  await writeFile(first, JSON.stringify(content), { mode: 0o600 });
  return { kubeconfig: [first, files].join(delimiter), folder };
}
