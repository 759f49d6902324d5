import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An API server in memory in a process of its own, which can be frozen whole. */
export class ServerProcess {
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, kubeconfig: string) {
    this.#child = child;
    this.#ended = ended;
    this.kubeconfig = kubeconfig;
  }

  /** Starts a server. Resolves when it accepts requests. */
  static async start(): Promise<ServerProcess> {
    const program = fileURLToPath(new URL('./server-program.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@keelson/source', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    if (child.stdout === null) throw new Error('the process has no output');
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, 'line') as Promise<[string]>;
    const failed = ended.then(() => {
      throw new Error('the API server ended at its start');
    });
    failed.catch(() => undefined);
    const [kubeconfig] = await Promise.race([first, failed]);
    return new ServerProcess(child, ended, JSON.parse(kubeconfig) as string);
  }

  /** Suspends the process: connections stay open, and it does not respond. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    this.#child.stdin?.end();
    await this.#ended;
  }
}
