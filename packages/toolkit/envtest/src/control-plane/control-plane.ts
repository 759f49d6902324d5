import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin, parseDuration } from '@keelson/apimachinery';
import { createClient, type Cluster } from '@keelson/client';
import { findAssets, type Asset, type Assets } from './assets.ts';
import { CertificateAuthority } from './certificate-authority.ts';
import {
  apiServerFlags,
  controllerManagerFlags,
  etcdFlags,
  etcdUrl,
  filesOf,
  type ControlPlaneLayout,
} from './control-plane-flags.ts';
import type { ResolvedOptions } from '../environment/environment-options.ts';
import type {
  ControlPlaneControls,
  ControlPlaneProcess,
  TokenOptions,
} from '../environment/control-plane-controls.ts';
import { EnvtestError } from '../errors.ts';
import { checkPort, freePorts } from './free-port.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import { signServiceAccountToken } from './service-account-token.ts';
import { Supervisor } from '../supervisor/supervisor.ts';

/** How often a start is tried while other processes take its ports. */
const MAX_STARTS = 5;
const POLL_INTERVAL_MS = 100;
/** Timeout of a readiness request: a paused process keeps the connection open and never responds. */
const PROBE_TIMEOUT_MS = 2000;

const flagsOf: Readonly<
  Record<ControlPlaneProcess, (layout: ControlPlaneLayout) => readonly string[]>
> = { etcd: etcdFlags, 'kube-apiserver': apiServerFlags };

/** The resources of a control plane, which its methods share. */
interface ControlPlaneParts {
  readonly assets: Assets;
  readonly authority: CertificateAuthority;
  readonly layout: ControlPlaneLayout;
  /** Signs the tokens of service accounts. */
  readonly signingKey: KeyObject;
  readonly startTimeout: number;
  readonly supervisor: Supervisor;
}

/** Runs etcd, kube-apiserver and, if requested, kube-controller-manager as child processes. */
export class ControlPlane implements ControlPlaneControls {
  readonly #parts: ControlPlaneParts;
  #administrator: Promise<Cluster> | undefined;

  private constructor(parts: ControlPlaneParts) {
    this.#parts = parts;
  }

  /**
   * Starts the processes; resolves when the API server is ready. If the start fails, all processes and files are
   * removed. Retries with other ports if another process takes a free port before the control plane listens on it.
   */
  static async create(options: ResolvedOptions): Promise<ControlPlane> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ControlPlane.#start(options);
      } catch (error) {
        if (attempt === MAX_STARTS || !isPortTaken(error)) throw error;
      }
    }
  }

  static async #start(options: ResolvedOptions): Promise<ControlPlane> {
    const { controllers, port, startTimeout, stopTimeout } = options;
    const wanted: Asset[] = ['etcd', 'kube-apiserver'];
    if (controllers.length > 0) wanted.push('kube-controller-manager');
    const assets = await findAssets(options.assets, wanted);
    if (port !== 0) await checkPort(port);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-envtest-'));
    const supervisor = await Supervisor.create(folder, stopTimeout);
    try {
      const layout = await layoutOf(folder, options);
      const authority = await CertificateAuthority.create();
      const { privateKey: signingKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const parts = { assets, authority, layout, signingKey, startTimeout, supervisor };
      const plane = new ControlPlane(parts);
      await plane.#begin(options);
      return plane;
    } catch (error) {
      await supervisor.abandon();
      throw error;
    }
  }

  /** Returns the cluster as one user reaches it, with a client certificate of that user. */
  async clusterOf(user: string, groups: readonly string[]): Promise<Cluster> {
    const { authority, layout } = this.#parts;
    const { cert, key } = await authority.user(user, groups);
    const server = `https://127.0.0.1:${layout.apiServerPort}`;
    return { server, tls: { ca: authority.certificate, cert, key }, development: true };
  }

  logs(): Record<string, string> {
    return this.#parts.supervisor.logs();
  }

  /** Ends all processes and removes their files. */
  end(): Promise<void> {
    return this.#parts.supervisor.stop();
  }

  async stop(process: ControlPlaneProcess): Promise<void> {
    await this.#parts.supervisor.kill(process);
  }

  async start(process: ControlPlaneProcess): Promise<void> {
    const { exits } = this.#parts.supervisor;
    if (exits.has(process)) this.#spawn(process);
    await this.#ready();
  }

  async restart(process: ControlPlaneProcess): Promise<void> {
    await this.stop(process);
    await this.start(process);
  }

  async pause(process: ControlPlaneProcess): Promise<void> {
    await this.#parts.supervisor.signal(process, 'SIGSTOP');
  }

  async resume(process: ControlPlaneProcess): Promise<void> {
    await this.#parts.supervisor.signal(process, 'SIGCONT');
    await this.#ready();
  }

  async compact(): Promise<void> {
    await compactEtcd(etcdUrl(this.#parts.layout));
    await this.restart('kube-apiserver');
  }

  async issueToken({ expiresIn, ...account }: TokenOptions): Promise<string> {
    const lifetime = parseDuration(expiresIn, 'issueToken.expiresIn');
    await using client = createClient({ cluster: await this.#admin() });
    const { metadata } = await client.get(builtin.ServiceAccount, account);
    const facts = { ...account, uid: metadata.uid, expires: Date.now() + lifetime };
    return signServiceAccountToken(this.#parts.signingKey, facts);
  }

  async #begin({ controllers }: ResolvedOptions): Promise<void> {
    const { assets, layout, supervisor } = this.#parts;
    await writeFiles(this.#parts, await this.#admin());
    this.#spawn('etcd');
    this.#spawn('kube-apiserver');
    await this.#ready();
    if (controllers.length === 0) return;
    const flags = controllerManagerFlags(layout, controllers);
    supervisor.start('kube-controller-manager', assets['kube-controller-manager'], flags);
  }

  #admin(): Promise<Cluster> {
    this.#administrator ??= this.clusterOf('keelson-envtest-admin', ['system:masters']);
    return this.#administrator;
  }

  #spawn(process: ControlPlaneProcess): void {
    const { assets, layout, supervisor } = this.#parts;
    supervisor.start(process, assets[process], flagsOf[process](layout));
  }

  async #ready(): Promise<void> {
    const { startTimeout, supervisor } = this.#parts;
    const cluster = await this.#admin();
    await using client = createClient({ cluster, retry: false });
    const deadline = performance.now() + startTimeout;
    while (performance.now() < deadline) {
      for (const [process, reason] of supervisor.exits) {
        throw this.#failure('START_FAILED', { process, reason });
      }
      if (await isReady(client)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
    throw this.#failure('START_TIMEOUT', { timeout: startTimeout });
  }

  /**
   * The message contains the output of the processes, because they have often ended before a test can read
   * `logs()`.
   */
  #failure(
    code: 'START_FAILED' | 'START_TIMEOUT',
    facts: { process?: string; [fact: string]: unknown },
  ): EnvtestError {
    const isFirst = ([name]: [string, string]): number => Number(name !== facts.process);
    const logs = Object.entries(this.logs())
      .toSorted((one, other) => isFirst(one) - isFirst(other))
      .map(([name, text]) => `--- ${name}\n${text}`);
    return new EnvtestError(code, { ...facts, logs: `\n${logs.join('\n')}\n` });
  }
}

/** True if etcd, kube-apiserver or Node.js printed that another process listens on the port. */
function isPortTaken(error: unknown): boolean {
  if (!(error instanceof EnvtestError) || error.code !== 'START_FAILED') return false;
  return /address already in use|EADDRINUSE/.test(String(error.facts['logs']));
}

async function layoutOf(folder: string, options: ResolvedOptions): Promise<ControlPlaneLayout> {
  const [etcdPort = 0, etcdPeerPort = 0, free = 0] = await freePorts(3);
  const { port, featureGates, apiServerFlags: flags } = options;
  const apiServerPort = port === 0 ? free : port;
  return { folder, etcdPort, etcdPeerPort, apiServerPort, featureGates, apiServerFlags: flags };
}

async function writeFiles(
  { authority, layout, signingKey }: ControlPlaneParts,
  admin: Cluster,
): Promise<void> {
  const files = filesOf(layout);
  const server = await authority.server();
  const serviceAccountKey = signingKey.export({ type: 'pkcs1', format: 'pem' });
  const contents = [
    [files.ca, authority.certificate],
    [files.cert, server.cert],
    [files.key, server.key],
    [files.serviceAccountKey, serviceAccountKey.toString()],
    [files.adminKubeconfig, kubeconfigText('admin', admin)],
  ] as const;
  await Promise.all(contents.map(([file, text]) => writeFile(file, text, { mode: 0o600 })));
}

/**
 * Reads an object too: /readyz may report a state of etcd that is seconds old, and tests need the namespace
 * `default`.
 */
async function isReady(client: ReturnType<typeof createClient>): Promise<boolean> {
  try {
    for (const path of ['/readyz', '/api/v1/namespaces/default']) {
      await client.request({ path, timeout: PROBE_TIMEOUT_MS });
    }
    return true;
  } catch {
    return false;
  }
}

/** Any key will do: every range response has the revision of the whole store. */
const anyKey = Buffer.from('/').toString('base64');

/** Compacts an etcd at its newest revision through its JSON gateway. */
export async function compactEtcd(url: string): Promise<void> {
  const { header } = (await post(`${url}/v3/kv/range`, { key: anyKey })) as {
    header: { revision: string };
  };
  await post(`${url}/v3/kv/compaction`, { revision: header.revision, physical: true });
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`etcd request failed (url=${url}, status=${response.status}, body=${text})`);
  return JSON.parse(text);
}
