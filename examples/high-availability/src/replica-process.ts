import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

/** The place in which a replica works. */
export interface ReplicaPlace {
  /** The path of a kubeconfig. */
  readonly kubeconfig: string;
  /** The namespace of the Lease. */
  readonly namespace: string;
  /** Default: 5, shorter than the manager's 15, so that the effects are visible within seconds. */
  readonly leaseSeconds?: number;
}

/**
 * - `starting`: the process runs, and its manager does not.
 * - `standby`: another process leads.
 * - `leader`: the process leads.
 * - `stopping`: the process received SIGTERM.
 * - `suspended`: the process received SIGSTOP.
 * - `gone`: the process has ended.
 */
export type ReplicaState = 'starting' | 'standby' | 'leader' | 'stopping' | 'suspended' | 'gone';

/** One replica in a process of its own. */
export class ReplicaProcess implements AsyncDisposable {
  readonly name: string;
  state: ReplicaState = 'starting';
  /** The last line that the process printed. */
  lastLine = '';
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
  readonly #child: ChildProcess;
  #changed = Promise.withResolvers<void>();

  constructor(name: string, { kubeconfig, namespace, leaseSeconds = 5 }: ReplicaPlace) {
    this.name = name;
    const program = fileURLToPath(new URL('./replica.ts', import.meta.url));
    const flags = ['--conditions=@keelson/source'];
    const args = [program, kubeconfig, namespace, name, String(leaseSeconds)];
    this.#child = spawn(process.execPath, [...flags, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    }
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      this.#become('gone');
      return (code as number | null) ?? String(signal);
    });
  }

  /** Resolves when the replica is in the state. Rejects if its process ends first. */
  async until(state: ReplicaState): Promise<void> {
    while (this.state !== state) {
      if (this.state === 'gone') throw new Error(`${this.name} ended: ${this.lastLine}`);
      await this.#changed.promise;
    }
  }

  /** Sends a signal: SIGTERM stops the replica, SIGKILL kills it, SIGSTOP suspends it and SIGCONT continues it. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
    if (name === 'SIGTERM') this.#become('stopping');
    if (name === 'SIGSTOP') this.#become('suspended');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.state === 'gone') return;
    this.signal('SIGKILL');
    await this.ended;
  }

  #read(line: string): void {
    this.lastLine = line;
    if (line === 'standby' || line === 'leader') this.#become(line);
  }

  #become(state: ReplicaState): void {
    this.state = state;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
