import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServer } from '../index.ts';
import { createApiServer } from '../server/api-server.ts';
import type { Arguments } from './arguments.ts';
import { writePrivateFile } from './flags/private-file.ts';
import { readServerFiles } from './flags/server-files.ts';

const LOOPBACK = '127.0.0.1';

/** The server of the command, with the kubeconfig that it wrote. */
export class RunningServer implements AsyncDisposable {
  /** `undefined` if the users have the tokens of a token file, and no kubeconfig was requested. */
  readonly kubeconfig: string | undefined;
  readonly #server: ApiServer;
  /** The folder to remove with the kubeconfig; `undefined` if the file stays. */
  readonly #temporaryFolder: string | undefined;

  private constructor(
    server: ApiServer,
    kubeconfig: string | undefined,
    temporaryFolder: string | undefined,
  ) {
    this.#server = server;
    this.kubeconfig = kubeconfig;
    this.#temporaryFolder = temporaryFolder;
  }

  /**
   * Starts the server and writes the kubeconfig of an administrator. Without a path, and without users of a token
   * file, the kubeconfig is in a new folder for temporary files: without its token no client could use the server.
   */
  static async start(options: Arguments): Promise<RunningServer> {
    const { port, tls, authorizationMode, anonymousAuth, kubeconfigOut } = options;
    const { serviceClusterIpRange } = options;
    const files = await readServerFiles(options, LOOPBACK);
    const server = await createApiServer({
      ...files,
      host: LOOPBACK,
      port,
      tls: tls && files.tls,
      authorizationMode,
      anonymousAuth,
      ...(serviceClusterIpRange !== undefined && { serviceClusterIpRange }),
    });
    const isTemporary = kubeconfigOut === undefined && options.tokenAuthFile === undefined;
    let folder: string | undefined;
    try {
      folder = isTemporary ? await mkdtemp(join(tmpdir(), 'keelson-apiserver-')) : undefined;
      const path = folder === undefined ? kubeconfigOut : join(folder, 'kubeconfig');
      if (path !== undefined) await writePrivateFile(path, server.kubeconfig());
      return new RunningServer(server, path, folder);
    } catch (error) {
      await server.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.#server.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    const folder = this.#temporaryFolder;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
