import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Told } from './history.ts';

/** A JSON line that the Go program printed. */
export interface Line extends Told {
  readonly [member: string]: unknown;
}

export interface PeerOptions {
  readonly program: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly scenario: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The Go program, running one scenario. */
export class Peer implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<number | null>;
  readonly #waiting = new Set<() => void>();
  #complaint = '';
  #isClosed = false;

  constructor(options: PeerOptions) {
    const { program, kubeconfig, namespace, scenario, flags = [], env = {} } = options;
    const words = [`-kubeconfig=${kubeconfig}`, `-namespace=${namespace}`, ...flags, scenario];
    this.#child = spawn(program, words, { env: { PATH: process.env.PATH, ...env } });
    createInterface({ input: this.#child.stdout }).on('line', (text) => {
      this.lines.push(JSON.parse(text) as Line);
      this.#wake();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-4000);
    });
    this.#closed = once(this.#child, 'close').then(([code]) => {
      this.#isClosed = true;
      this.#wake();
      return code as number | null;
    });
  }

  /** Resolves when what the program printed so far satisfies the condition; rejects when it ends before. */
  until(condition: (lines: readonly Line[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (condition(this.lines)) resolve();
        else if (this.#isClosed) reject(new Error(`the program ended: ${this.#complaint}`));
        else return;
        this.#waiting.delete(check);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** The first line with this member, now or later. */
  async line(member: string): Promise<Line> {
    await this.until((lines) => lines.some((line) => member in line));
    const found = this.lines.find((line) => member in line);
    if (found === undefined) throw new Error(`no line has ${member}`);
    return found;
  }

  ask(word: string): void {
    this.#child.stdin.write(`${word}\n`);
  }

  /** Lets it end in an orderly way; all it printed, or an error with its last words. */
  async end(): Promise<readonly Line[]> {
    this.#child.stdin.end();
    return this.finished();
  }

  /** When it ends by itself. */
  async finished(): Promise<readonly Line[]> {
    const code = await this.#closed;
    if (code !== 0) throw new Error(`the program ended with ${code}: ${this.#complaint}`);
    return this.lines;
  }

  /** As a crash ends it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.kill();
  }

  #wake(): void {
    for (const check of this.#waiting) check();
  }
}
