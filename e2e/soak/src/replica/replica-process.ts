import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReplicaMessage } from './protocol.ts';
import type { Sample } from './sample.ts';

/** One replica in a process of its own. */
export class ReplicaProcess {
  /** Distinguishes the processes that ran under one name. */
  readonly identity: string;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
  /** The error that ended its manager. */
  error: string | undefined;
  readonly #child: ChildProcess;
  #isSuspended = false;
  #waiting: ((sample: Sample | undefined) => void)[] = [];

  constructor(identity: string, cluster: object) {
    this.identity = identity;
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const program = fileURLToPath(new URL(`./replica${extension}`, import.meta.url));
    this.#child = fork(program, [JSON.stringify(cluster), identity], {
      execArgv: ['--conditions=@keelson/source', '--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: ReplicaMessage) => this.#receive(message));
    this.ended = once(this.#child, 'exit').then(([code, signal]) => {
      this.#answer(undefined);
      return (code as number | null) ?? String(signal);
    });
  }

  /** Its state; `undefined` for a process that is suspended or ended. */
  sample(): Promise<Sample | undefined> {
    if (this.#isSuspended || !this.#child.connected) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Sample | undefined>();
    this.#waiting.push(resolve);
    this.#send('sample');
    return promise;
  }

  /** SIGTERM stops the replica, SIGKILL kills it, SIGSTOP suspends it and SIGCONT continues it. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    if (name === 'SIGSTOP') {
      this.#isSuspended = true;
      this.#answer(undefined);
    }
    if (name === 'SIGCONT') this.#isSuspended = false;
    this.#child.kill(name);
  }

  /** Stops the manager, and kills the process if it has not ended within the grace period. */
  async stop(): Promise<number | string> {
    this.#send('stop');
    const late = setTimeout(() => this.signal('SIGKILL'), 30_000);
    return this.ended.finally(() => clearTimeout(late));
  }

  /** Sends a request. An error is ignored: a killed process may still look connected, and its exit settles the request. */
  #send(request: 'sample' | 'stop'): void {
    if (this.#child.connected) this.#child.send(request, () => undefined);
  }

  #receive(message: ReplicaMessage): void {
    if ('sample' in message) this.#waiting.shift()?.(message.sample);
    else if ('error' in message) this.error = message.error;
  }

  #answer(sample: Sample | undefined): void {
    for (const resolve of this.#waiting) resolve(sample);
    this.#waiting = [];
  }
}
