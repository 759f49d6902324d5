import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Duration } from '@keelson/apimachinery';

/** The durations of the Lease of a replica. */
export interface LeaseTimings {
  readonly leaseDuration: Duration;
  readonly renewDeadline: Duration;
  readonly retryPeriod: Duration;
}

/** The program's argument, as JSON. */
export interface ReplicaOptions {
  /** The path of a kubeconfig. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly name: string;
  readonly timings: LeaseTimings;
  /** The folder in which Node keeps compiled modules: without it, a start takes four times as long. */
  readonly modules: string;
}

/** One replica in a process of its own. */
export class ReplicaProcess implements AsyncDisposable {
  readonly name: string;
  /** Resolves when the replica has joined the ring, or has ended. */
  readonly joined: Promise<void>;
  /** Resolves when the process has ended, with the code of its error; empty without one. */
  readonly ended: Promise<string>;
  /** The time at which the process received SIGTERM, by the clock that all processes share. */
  leavingAt: number = Infinity;
  /** Runs whose write failed, which therefore ended without their last write. */
  readonly failedRuns: Set<string> = new Set();
  /** True if the process was killed, or lost its Lease. */
  hasFailed = false;
  readonly #child: ChildProcess;
  readonly #joining = Promise.withResolvers<void>();
  #code = '';

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.joined = this.#joining.promise;
    const program = fileURLToPath(new URL('./replica-program.ts', import.meta.url));
    const flags = ['--conditions=@keelson/source', program, JSON.stringify(options)];
    this.#child = spawn(process.execPath, flags, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: options.modules },
    });
    if (this.#child.stdout === null) throw new Error('the process has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    this.ended = once(this.#child, 'close').then(([code]) => {
      this.hasFailed = code !== 0;
      this.#joining.resolve();
      return this.#code;
    });
  }

  /** SIGTERM stops the replica, SIGKILL kills it, SIGSTOP suspends it and SIGCONT continues it. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }

  #read(line: string): void {
    const [word, text = ''] = line.split(' ');
    if (word === 'joined') this.#joining.resolve();
    if (word === 'leaving') this.leavingAt = Number(text);
    if (word === 'ended') this.#code = text;
    if (word === 'failed') this.failedRuns.add(text);
  }
}
