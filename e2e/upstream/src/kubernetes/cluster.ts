import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';

const { Node } = builtin;

/** The in-memory API server with the real kube-controller-manager beside it, and a Node that is always ready. */
export class SpecCluster implements AsyncDisposable {
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #server: ApiServer;
  readonly #controllers: ChildProcess;

  private constructor(folder: string, server: ApiServer, controllers: ChildProcess) {
    this.kubeconfig = join(folder, 'kubeconfig');
    this.#folder = folder;
    this.#server = server;
    this.#controllers = controllers;
  }

  static async start(): Promise<SpecCluster> {
    const binaries = await cacheFolder(process.env);
    const paths = await buildBinaries({
      binaries: ['kube-controller-manager'],
      folder: binaries,
      onProgress: say,
    });
    const program = paths['kube-controller-manager'];
    const folder = await mkdtemp(join(tmpdir(), 'keelson-specs-'));
    // Its own controllers are those of the controller manager here.
    const server = await createApiServer({
      tls: true,
      authorizationMode: 'RBAC',
      acceptsUntypedBodies: true,
      controllers: [],
    });
    await writeFile(join(folder, 'kubeconfig'), server.kubeconfig(), { mode: 0o600 });
    await writeFile(join(folder, 'ca.crt'), server.cluster.tls?.ca ?? '');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' });
    await writeFile(join(folder, 'service-account.key'), key, { mode: 0o600 });
    await createNode(server);
    const controllers = spawn(program, controllerFlags(folder), { stdio: 'ignore' });
    return new SpecCluster(folder, server, controllers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#controllers, 'exit');
    if (this.#controllers.kill('SIGKILL')) await ended;
    await this.#server.close();
    await rm(this.#folder, { recursive: true });
  }
}

function controllerFlags(folder: string): string[] {
  return [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--service-account-private-key-file=${join(folder, 'service-account.key')}`,
    `--root-ca-file=${join(folder, 'ca.crt')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // Without a kubelet the Node would not stay ready.
    '--controllers=*,-node-lifecycle-controller,-taint-eviction-controller',
  ];
}

/** The specs begin when a Node is ready and has no taint. */
async function createNode(server: ApiServer): Promise<void> {
  await using client = createClient({ cluster: server.cluster });
  const resources = { cpu: '4', memory: '8Gi', pods: '110' };
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
  await client.create(Node, {
    metadata: { name: 'node-1', labels: { 'kubernetes.io/os': 'linux' } },
    status: { capacity: resources, allocatable: resources, conditions: [condition] },
  });
  await client.patch(Node, { name: 'node-1' }, { type: 'merge', body: { spec: { taints: null } } });
}

function say(line: string): void {
  console.error(line);
}
