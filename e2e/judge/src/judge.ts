import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';

/** A line of the Go program: the decision, or the reason for which it has none. */
interface Response {
  readonly output?: unknown;
  readonly failure?: string;
}

/** A request that the Go program has not responded to yet. */
interface Pending {
  readonly op: string;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The Go program cannot decide a question: Kubernetes' own code panics. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}

/**
 * The Go program `e2e/control-plane/cmd/judge`, which decides with Kubernetes' own packages. Requests are written without
 * a wait for responses, so a caller batches by asking many questions at once.
 */
export class Judge implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #closed: Promise<unknown>;
  /** In the order of the requests, which is that of the responses. */
  readonly #pending: Pending[] = [];

  /** Builds the program if it is missing, and starts it. Throws if Go is missing too. */
  static async start(): Promise<Judge> {
    const folder = await cacheFolder(process.env);
    const { judge } = await buildBinaries({ binaries: ['judge'], folder, onProgress: say });
    return new Judge(judge);
  }

  /** Starts the program at a path. */
  constructor(path: string) {
    this.#child = spawn(path, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#closed = once(this.#child, 'close').catch((error: unknown) => error);
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('close', () => this.#fail(new Error('the judge ended')));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
  }

  /** Returns the decision of an operation of the program. Rejects with `UndecidedError` if the program panics. */
  ask(op: string, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#child.exitCode !== null) {
        reject(new Error('the judge ended'));
        return;
      }
      this.#pending.push({ op, resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ op, input })}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.#closed;
  }

  #receive(line: string): void {
    const pending = this.#pending.shift();
    if (pending === undefined) return;
    const { output, failure } = JSON.parse(line) as Response;
    if (failure === undefined) pending.resolve(output);
    else pending.reject(new UndecidedError(`no decision (op=${pending.op}): ${failure}`));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}

function say(line: string): void {
  console.error(line);
}
