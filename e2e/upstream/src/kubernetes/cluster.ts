import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer } from '@keelson/apiserver';
import type { Cluster } from '@keelson/client';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger, createManager } from '@keelson/manager';
import { addWorkloads } from '@keelson/workloads';

/** The API server of a cluster: the one in memory, or kube-apiserver with etcd. */
export type Server = 'memory' | 'kube-apiserver';

/** The API server of a cluster and its administrator. */
interface Administration {
  readonly kubeconfig: string;
  readonly cluster: Cluster;
}

/** The settings of a cluster, which are the same on both servers. */
export interface ClusterOptions {
  /** Default `RBAC`. */
  readonly authorization?: 'RBAC' | 'AlwaysAllow';
  /** A token of a further administrator. */
  readonly adminToken?: string;
  /** The authority of client certificates in memory, in PEM. kube-apiserver always has one here. */
  readonly clientCa?: string;
  /** Default 2. */
  readonly nodes?: number;
  /** Further flags of kube-apiserver, for what the server in memory always does. */
  readonly apiServerFlags?: readonly string[];
  /** Further flags of kube-controller-manager. */
  readonly controllerFlags?: readonly string[];
}

/** An API server with the real kube-controller-manager beside it, and nodes whose kubelets run no containers. */
export class ControlledCluster implements AsyncDisposable {
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The path of the log of kube-controller-manager. */
  readonly log: string;
  readonly cluster: Cluster;
  readonly #resources: AsyncDisposableStack;

  private constructor(folder: string, cluster: Cluster, resources: AsyncDisposableStack) {
    this.kubeconfig = join(folder, 'kubeconfig');
    this.log = join(folder, 'kube-controller-manager.log');
    this.cluster = cluster;
    this.#resources = resources;
  }

  static async start(server: Server, options: ClusterOptions = {}): Promise<ControlledCluster> {
    await using resources = new AsyncDisposableStack();
    const assets = await assetsOf(server);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-specs-'));
    resources.defer(() => rm(folder, { recursive: true }));
    const { kubeconfig, cluster } =
      server === 'memory'
        ? await startMemory(resources, options)
        : await startBinaries(resources, { ...options, assets, folder });
    const started = new ControlledCluster(folder, cluster, resources.move());
    await writeFile(started.kubeconfig, kubeconfig, { mode: 0o600 });
    await started.#startControllers(folder, join(assets, 'kube-controller-manager'), options);
    if (options.nodes !== 0) await started.#startNodes(options);
    return started;
  }

  async #startControllers(folder: string, program: string, options: ClusterOptions): Promise<void> {
    await writeFile(join(folder, 'ca.crt'), this.cluster.tls?.ca ?? '');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs1', format: 'pem' });
    await writeFile(join(folder, 'service-account.key'), key, { mode: 0o600 });
    const flags = [...controllerFlagsOf(folder, options), ...(options.controllerFlags ?? [])];
    const controllers = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(this.log);
    controllers.stdout.pipe(log, { end: false });
    controllers.stderr.pipe(log, { end: false });
    this.#resources.defer(async () => {
      const ended = once(controllers, 'close');
      if (controllers.exitCode === null) controllers.kill('SIGKILL');
      await ended;
      log.end();
    });
  }

  /** Starts a scheduler and the kubelets of the nodes. */
  async #startNodes({ nodes = 2 }: ClusterOptions): Promise<void> {
    const manager = createManager({
      cluster: this.cluster,
      logger: createLogger({ level: 'error' }),
      stopSignals: [],
      gracePeriod: '1s',
    });
    addWorkloads(manager, { nodes, controllers: ['scheduler'] });
    const stopped = manager.start();
    this.#resources.defer(async () => {
      await manager.stop();
      await stopped;
    });
    await manager.started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

/** Its own controllers are those of the controller manager here. */
async function startMemory(
  resources: AsyncDisposableStack,
  { authorization = 'RBAC', adminToken, clientCa }: ClusterOptions,
): Promise<Administration> {
  const admin = { name: 'admin', groups: ['system:masters'] };
  const server = await createApiServer({
    tls: true,
    authorizationMode: authorization,
    ...(clientCa !== undefined && { clientCa }),
    ...(adminToken !== undefined && { tokens: new Map([[adminToken, admin]]) }),
    acceptsUntypedBodies: true,
    serviceClusterIpRange: '10.0.0.0/24',
    controllers: [],
  });
  resources.use(server);
  return { kubeconfig: server.kubeconfig(), cluster: { ...server.cluster, development: true } };
}

async function startBinaries(
  resources: AsyncDisposableStack,
  {
    assets,
    folder,
    authorization = 'RBAC',
    adminToken,
    apiServerFlags = [],
  }: ClusterOptions & { readonly assets: string; readonly folder: string },
): Promise<Administration> {
  const tokens = join(folder, 'tokens.csv');
  const user = adminToken === undefined ? '' : `${adminToken},admin,,system:masters\n`;
  await writeFile(tokens, user, { mode: 0o600 });
  const flags = [
    ...(authorization === 'RBAC' ? [] : [`--authorization-mode=RBAC,${authorization}`]),
    ...(adminToken === undefined ? [] : [`--token-auth-file=${tokens}`]),
    ...apiServerFlags,
  ];
  const environment = await createTestEnvironment({
    use: 'binaries',
    assets,
    apiServerFlags: flags,
  });
  resources.use(environment);
  return environment.admin;
}

async function assetsOf(server: Server): Promise<string> {
  const folder = process.env['KUBEBUILDER_ASSETS'] ?? (await cacheFolder(process.env));
  const own = server === 'memory' ? [] : (['etcd', 'kube-apiserver'] as const);
  await buildBinaries({ binaries: [...own, 'kube-controller-manager'], folder, onProgress: say });
  return folder;
}

function controllerFlagsOf(folder: string, { nodes }: ClusterOptions): string[] {
  return [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--service-account-private-key-file=${join(folder, 'service-account.key')}`,
    `--root-ca-file=${join(folder, 'ca.crt')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    // The simulated kubelets do not renew Leases.
    ...(nodes === 0
      ? []
      : ['--controllers=*,-node-lifecycle-controller,-taint-eviction-controller']),
  ];
}

function say(line: string): void {
  console.error(line);
}
