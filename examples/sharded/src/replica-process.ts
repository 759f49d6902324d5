import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One replica in a process of its own. */
export class ReplicaProcess implements AsyncDisposable {
  readonly name: string;
  /** Resolves when the replica has joined the ring. Rejects if its process ends first. */
  readonly joined: Promise<void>;
  /** Resolves with the last line that the process printed, when it has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  constructor(name: string, server: string) {
    this.name = name;
    const program = fileURLToPath(new URL('./replica.ts', import.meta.url));
    const flags = ['--conditions=@keelson/source', program, server, name];
    this.#child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    const joined = Promise.withResolvers<void>();
    let lastLine = '';
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        lastLine = line;
        if (line === 'joined') joined.resolve();
      });
    }
    this.ended = once(this.#child, 'close').then(() => {
      joined.reject(new Error(`${name} ended: ${lastLine}`));
      return lastLine;
    });
    this.joined = joined.promise;
    this.joined.catch(() => undefined);
  }

  /** Sends a signal: SIGTERM stops the replica, SIGKILL kills it, SIGSTOP suspends it and SIGCONT continues it. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}
