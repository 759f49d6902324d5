import { builtin, isAlreadyExists } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { LocalAdmission } from '../admission/local-admission.ts';
import type { DevCluster, PreparedContent } from './dev-cluster.ts';
import { developmentExtension } from './development-extension.ts';
import { deleteHeldLeases } from './held-leases.ts';
import { installDefinitions } from './install-definitions.ts';
import { KubeconfigFile } from './kubeconfig-file.ts';

/** The name of the user on the server; its group permits every request. */
const USER = 'keelson-dev';

/** The user of the session's own requests, which no webhook of the program reviews. */
const SESSION_USER = 'keelson-dev-session';

/** The options of a session on a server in memory. */
export interface MemoryClusterOptions {
  /** The folder of the project. */
  readonly folder: string;
  /** The port of the server; 0 for any. */
  readonly port: number;
  /** The namespace of the kubeconfig, in which an operator creates its Lease. */
  readonly namespace: string;
}

/** An API server in this process. Its objects stay while the program restarts. */
export class MemoryCluster implements DevCluster {
  readonly installsDefinitions = true;
  readonly #server: ApiServer;
  readonly #client: Client;
  readonly #file: KubeconfigFile;
  readonly #admission: LocalAdmission;

  private constructor(server: ApiServer, file: KubeconfigFile) {
    this.#server = server;
    this.#file = file;
    const cluster = server.addUser({ name: SESSION_USER, groups: ['system:masters'] });
    this.#client = createClient({ cluster, fieldManager: USER });
    this.#admission = new LocalAdmission(this.#client, SESSION_USER);
  }

  static async start({ folder, port, namespace }: MemoryClusterOptions): Promise<MemoryCluster> {
    // kubectl sends its token only over HTTPS.
    const server = await createApiServer({ port, tls: true, anonymousAuth: false });
    try {
      const { token } = server.addUser({ name: USER, groups: ['system:masters'] });
      const text = kubeconfigText({ server, token, namespace });
      return new MemoryCluster(server, await KubeconfigFile.write(folder, text));
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get kubeconfig(): string {
    return this.#file.path;
  }

  get credentialsFile(): string {
    return this.#file.path;
  }

  get description(): readonly string[] {
    const { path } = this.#file;
    return [
      `server      ${this.#server.url} in memory`,
      `kubeconfig  ${path}`,
      `export KUBECONFIG=${quoted(path)}`,
    ];
  }

  async prepare(content: PreparedContent, signal: AbortSignal): Promise<void> {
    const { project, definitions, admission } = content;
    await deleteHeldLeases(this.#server, this.#client, USER);
    const namespace = { metadata: { name: project.namespace } };
    await this.#client.create(builtin.Namespace, namespace, { signal }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    await installDefinitions(this.#client, definitions, signal);
    this.#admission.replace(content);
    await this.#admission.install(admission.policies, signal);
    await this.#server.idle();
  }

  async callWebhooks(port: number, signal: AbortSignal): Promise<number> {
    return this.#admission.callWebhooks(port, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await this.#server.close();
    await this.#file[Symbol.asyncDispose]();
  }
}

/** Returns a kubeconfig in JSON, which is YAML too. */
function kubeconfigText(facts: {
  readonly server: ApiServer;
  readonly token: string;
  readonly namespace: string;
}): string {
  const { server, token, namespace } = facts;
  const name = USER;
  const authority = Buffer.from(server.cluster.tls?.ca ?? '').toString('base64');
  const cluster = { server: server.url, 'certificate-authority-data': authority };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
    extensions: [developmentExtension],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Quotes a path for a shell if it has other characters than those of plain paths. */
function quoted(path: string): string {
  return /^[\w/.@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
