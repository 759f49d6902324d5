import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';

/** A command that runs until it is stopped. Disposing it kills it. */
export class RunningCommand implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  readonly #printing = new EventEmitter();
  #output = '';

  constructor(
    command: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ) {
    this.#child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
        this.#printing.emit('printed');
      });
    }
  }

  /** The output until now. */
  get output(): string {
    return this.#output;
  }

  /** Waits until the output has a match, and returns its first group. Throws if the command ends before. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match[1] ?? '';
      await this.during(once(this.#printing, 'printed'));
    }
  }

  /** Waits for a promise. Throws with the output if the command ends before. */
  async during<Value>(promise: Promise<Value>): Promise<Value> {
    const ended = this.#ended.then(() => {
      throw new Error(`ended early:\n${this.#output}`);
    });
    return Promise.race([promise, ended]);
  }

  /** Sends a signal, and resolves with the exit code; `null` if a signal ended the process. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    const [code] = await this.#ended;
    return code as number | null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
