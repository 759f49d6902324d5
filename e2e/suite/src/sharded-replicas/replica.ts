import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '@keelson/client';
import { CountingProxy } from './counting-proxy.ts';

export interface ReplicaOptions {
  readonly cluster: Cluster;
  readonly mode: 'full' | 'filtered' | 'server';
}

/** The state of a replica at one time. */
export interface ReplicaReport {
  readonly owned: number;
  readonly wanted: number;
  readonly selectedByServer: boolean;
  readonly objects: number;
  /** The version up to which the cache is current. */
  readonly version: string;
  /** The bytes of the objects in the cache. */
  readonly bytes: number;
  /** The memory of the process in bytes. */
  readonly rss: number;
}

/** One replica in a process of its own, whose bytes from the API server are counted. */
export class Replica implements AsyncDisposable {
  /** The times of the latest run of each request, in monotonic milliseconds. */
  readonly runs: Map<string, number> = new Map();
  readonly #proxy: CountingProxy;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #reports = new EventEmitter();

  constructor(proxy: CountingProxy, options: ReplicaOptions) {
    this.#proxy = proxy;
    const { server } = options.cluster;
    const cluster = { ...options.cluster, server: proxy.urlOf(server) };
    const program = fileURLToPath(new URL('./replica-program.ts', import.meta.url));
    const argument = JSON.stringify({ ...options, cluster });
    this.#child = spawn(process.execPath, ['--conditions=@keelson/source', program, argument], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = once(this.#child, 'close');
    if (this.#child.stdout === null) throw new Error('the process has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const [word = '', text = ''] = line.split(/ (.*)/s);
      if (word === 'run') this.runs.set(text, performance.now());
      if (word === 'report') this.#reports.emit('report', JSON.parse(text));
    });
  }

  static async start(options: ReplicaOptions): Promise<Replica> {
    return new Replica(await CountingProxy.before(options.cluster.server), options);
  }

  /** The bytes that the replica has received. */
  get received(): number {
    return this.#proxy.received;
  }

  async report(): Promise<ReplicaReport> {
    const received = once(this.#reports, 'report');
    this.#child.stdin?.write('report\n');
    const [report] = (await received) as [ReplicaReport];
    return report;
  }

  /** Sends a signal, and resolves when the process has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
    await this.#proxy[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}
