import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Cluster } from '@keelson/client';
import { findAssets, type Asset } from './assets.ts';
import { CertificateAuthority } from './certificate-authority.ts';
import {
  apiServerFlags,
  controllerManagerFlags,
  etcdFlags,
  filesOf,
  type ControlPlaneLayout,
} from './control-plane-flags.ts';
import type { ResolvedOptions } from './environment-options.ts';
import { EnvtestError } from './errors.ts';
import { checkPort, freePorts } from './free-port.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { Supervisor } from './supervisor.ts';

const pollInterval = 100;

/** etcd and kube-apiserver, and controllers where asked, as processes of their own. */
export class ControlPlane {
  readonly #supervisor: Supervisor;
  readonly #authority: CertificateAuthority;
  readonly #server: string;

  private constructor(supervisor: Supervisor, authority: CertificateAuthority, server: string) {
    this.#supervisor = supervisor;
    this.#authority = authority;
    this.#server = server;
  }

  /** Starts it; resolves when the API server is ready. Nothing is left when it fails. */
  static async start(options: ResolvedOptions): Promise<ControlPlane> {
    const needsManager = options.controllers.length > 0;
    const wanted: Asset[] = ['etcd', 'kube-apiserver'];
    if (needsManager) wanted.push('kube-controller-manager');
    const assets = await findAssets(options.assets, wanted);
    if (options.port !== 0) await checkPort(options.port);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-envtest-'));
    const supervisor = await Supervisor.create(folder, options.stopTimeout);
    try {
      const layout = await layoutOf(folder, options);
      const authority = await CertificateAuthority.create();
      const server = `https://127.0.0.1:${layout.apiServerPort}`;
      const plane = new ControlPlane(supervisor, authority, server);
      const admin = await plane.clusterOf('keelson-envtest-admin', ['system:masters']);
      await writeFiles(layout, authority, admin);
      supervisor.start('etcd', assets.etcd, etcdFlags(layout));
      supervisor.start('kube-apiserver', assets['kube-apiserver'], apiServerFlags(layout));
      await plane.#ready(admin, options.startTimeout);
      if (needsManager) {
        const flags = controllerManagerFlags(layout, options.controllers);
        supervisor.start('kube-controller-manager', assets['kube-controller-manager'], flags);
      }
      return plane;
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
  }

  /** How a user reaches the API server: with a client certificate of its own. */
  async clusterOf(user: string, groups: readonly string[]): Promise<Cluster> {
    const { cert, key } = await this.#authority.user(user, groups);
    return { server: this.#server, tls: { ca: this.#authority.certificate, cert, key } };
  }

  logs(): Record<string, string> {
    return this.#supervisor.logs();
  }

  stop(): Promise<void> {
    return this.#supervisor.stop();
  }

  async #ready(admin: Cluster, timeout: number): Promise<void> {
    await using client = createClient({ cluster: admin, retry: false });
    const deadline = performance.now() + timeout;
    while (performance.now() < deadline) {
      for (const [process, reason] of this.#supervisor.exits) {
        throw this.#failure('START_FAILED', { process, reason });
      }
      // oxlint-disable-next-line no-await-in-loop -- it asks again until the answer is right
      if (await isReady(client)) return;
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, pollInterval));
    }
    throw this.#failure('START_TIMEOUT', { timeout });
  }

  /** The processes' last words belong into the message: often nobody can ask for them any more. */
  #failure(code: 'START_FAILED' | 'START_TIMEOUT', facts: object): EnvtestError {
    const logs = Object.entries(this.logs()).map(([name, text]) => `--- ${name}\n${text}`);
    return new EnvtestError(code, { ...facts, logs: `\n${logs.join('\n')}\n` });
  }
}

async function layoutOf(folder: string, options: ResolvedOptions): Promise<ControlPlaneLayout> {
  const [etcdPort = 0, etcdPeerPort = 0, free = 0] = await freePorts(3);
  const { port, featureGates } = options;
  const apiServerPort = port === 0 ? free : port;
  return { folder, etcdPort, etcdPeerPort, apiServerPort, featureGates };
}

async function writeFiles(
  layout: ControlPlaneLayout,
  authority: CertificateAuthority,
  admin: Cluster,
): Promise<void> {
  const files = filesOf(layout);
  const server = await authority.server();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccountKey = privateKey.export({ type: 'pkcs1', format: 'pem' });
  const contents = [
    [files.ca, authority.certificate],
    [files.cert, server.cert],
    [files.key, server.key],
    [files.serviceAccountKey, serviceAccountKey.toString()],
    [files.adminKubeconfig, kubeconfigText('admin', admin)],
  ] as const;
  await Promise.all(contents.map(([file, text]) => writeFile(file, text, { mode: 0o600 })));
}

async function isReady(client: ReturnType<typeof createClient>): Promise<boolean> {
  try {
    await client.request({ path: '/readyz' });
    return true;
  } catch {
    return false;
  }
}
