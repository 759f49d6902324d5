import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CliError } from '../errors.ts';

export interface ForwardOptions {
  /** The program; `kubectl` on PATH. */
  readonly kubectl: string;
  readonly pod: string;
  readonly port: number;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/**
 * A port of this computer that `kubectl port-forward` connects with a port of a Pod. The server in the Pod then needs no
 * address that others reach.
 */
export class PortForward implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Resolves when the port is open. Rejects with `PORT_FORWARD_FAILED`. */
  static async open(options: ForwardOptions): Promise<PortForward> {
    const child = spawn(options.kubectl, wordsOf(options), { stdio: ['ignore', 'pipe', 'pipe'] });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let complaint = '';
    child.stderr.on(
      'data',
      (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-500)),
    );
    child.once('error', (cause) => reject(failure(options, cause.message)));
    child.once('close', () => reject(failure(options, complaint.trim())));
    createInterface(child.stdout).on('line', (line) => {
      const port = /^Forwarding from 127\.0\.0\.1:(\d+) /.exec(line)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
    return new PortForward(await promise, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.once('close', () => resolve());
    this.#child.kill();
    await promise;
  }
}

function wordsOf({ pod, port, namespace, kubeconfig, context }: ForwardOptions): string[] {
  return [
    'port-forward',
    '--address=127.0.0.1',
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    '--',
    pod,
    `:${port}`,
  ];
}

function failure({ kubectl, pod, port }: ForwardOptions, reason: string): CliError {
  return new CliError('PORT_FORWARD_FAILED', { program: kubectl, pod, port, reason });
}
