import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CliError } from '../errors.ts';

/** A port of a Pod, and the cluster that has it. */
export interface PodPort {
  /** The program; `kubectl` on PATH. */
  readonly kubectl: string;
  readonly pod: string;
  readonly port: number;
  /** Default: that of the context. */
  readonly namespace?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** A process of kubectl that makes a port of a Pod reachable, until it is disposed of. */
export class PodTunnel implements AsyncDisposable {
  /** The address of the port on this computer, without a slash at the end. */
  readonly url: string;
  readonly #child: ChildProcess;

  constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.once('close', () => resolve());
    this.#child.kill();
    await promise;
  }
}

/**
 * Forwards a port of this computer to the Pod, whose server then needs no address that others reach. Rejects with
 * `PORT_FORWARD_FAILED`.
 */
export async function forwardPort(target: PodPort): Promise<PodTunnel> {
  const { pod, port, namespace } = target;
  const words = [
    'port-forward',
    '--address=127.0.0.1',
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ...clusterWords(target),
    '--',
    pod,
    `:${port}`,
  ];
  const { child, match } = await started(target, words, /^Forwarding from 127\.0\.0\.1:(\d+) /);
  return new PodTunnel(`http://127.0.0.1:${match}`, child);
}

/**
 * Reaches the Pod through the proxy of the API server, over HTTPS: for users who may `get` `pods/proxy` and not forward
 * ports. Programs of this computer reach only this port with the credentials of the user. Rejects with
 * `PORT_FORWARD_FAILED`, and with the errors of `loadCluster`.
 */
export async function proxyPod(target: PodPort): Promise<PodTunnel> {
  const { pod, port } = target;
  const namespace = target.namespace ?? (await namespaceOf(target));
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/https:${encodeURIComponent(pod)}:${port}/proxy`;
  const words = [
    'proxy',
    '--address=127.0.0.1',
    '--port=0',
    `--accept-paths=^${escaped(path)}/`,
    ...clusterWords(target),
  ];
  const { child, match } = await started(
    target,
    words,
    /^Starting to serve on 127\.0\.0\.1:(\d+)$/,
  );
  return new PodTunnel(`http://127.0.0.1:${match}${path}`, child);
}

async function namespaceOf({ kubeconfig, context }: PodPort): Promise<string> {
  const { loadCluster } = await import('@keelson/client');
  const { namespace } = await loadCluster({ file: kubeconfig, context });
  return namespace ?? 'default';
}

function clusterWords({ kubeconfig, context }: PodPort): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
}

/** Resolves to the port in the line that matches. */
async function started(
  { kubectl, pod, port }: PodPort,
  words: readonly string[],
  line: RegExp,
): Promise<{ readonly child: ChildProcess; readonly match: string }> {
  const child = spawn(kubectl, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (reason: string): void =>
    reject(new CliError('PORT_FORWARD_FAILED', { program: kubectl, pod, port, reason }));
  let complaint = '';
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-500)),
  );
  child.once('error', (cause) => fail(cause.message));
  child.once('close', () => fail(complaint.trim()));
  createInterface(child.stdout).on('line', (text) => {
    const match = line.exec(text)?.[1];
    if (match !== undefined) resolve(match);
  });
  return { child, match: await promise };
}

/** A path as a regular expression of Go that matches it. */
function escaped(path: string): string {
  return path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
