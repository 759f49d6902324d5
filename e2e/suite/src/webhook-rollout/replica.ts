import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { ReplicaMessage, ReplicaOptions } from './replica-program.ts';

type Ports = Extract<ReplicaMessage, { readonly webhook: number }>;

/** A process that serves a webhook until it gets SIGTERM. */
export class Replica implements AsyncDisposable {
  readonly name: string;
  /** The port of the webhook server. */
  readonly port: number;
  readonly #health: number;
  readonly #child: ChildProcess;
  readonly #logged: string[] = [];

  /** Starts a process. Resolves when its manager has started. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const program = new URL('replica-program.ts', import.meta.url);
    const execArgv = ['--conditions=@keelson/source'];
    const child = fork(program, [JSON.stringify(options)], { execArgv });
    const { promise, resolve, reject } = Promise.withResolvers<Ports>();
    child.on('message', (message: ReplicaMessage) => {
      if ('webhook' in message) resolve(message);
    });
    child.once('exit', (code) => reject(new Error(`replica ${options.name} ended with ${code}`)));
    return new Replica(options.name, child, await promise);
  }

  private constructor(name: string, child: ChildProcess, { webhook, health }: Ports) {
    this.name = name;
    this.port = webhook;
    this.#health = health;
    this.#child = child;
    child.on('message', (message: ReplicaMessage) => {
      if ('logged' in message) this.#logged.push(message.logged);
      child.emit('logged');
    });
  }

  /** Resolves when the replica has logged this message. */
  async logged(message: string): Promise<void> {
    while (!this.#logged.includes(message)) await once(this.#child, 'logged');
  }

  /** The status of `/readyz`. */
  async readiness(): Promise<number> {
    const { status } = await fetch(`http://127.0.0.1:${this.#health}/readyz`);
    return status;
  }

  /** Sends SIGTERM, as the kubelet does. Resolves when the replica is no longer ready. */
  async terminate(): Promise<void> {
    this.#child.kill('SIGTERM');
    while ((await this.readiness()) === 200);
  }

  /** Resolves to the exit code. */
  async exitCode(): Promise<number | null> {
    const { exitCode } = this.#child;
    if (exitCode !== null) return exitCode;
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
