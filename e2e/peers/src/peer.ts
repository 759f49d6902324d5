import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { FaultyProxy } from './faulty-proxy.ts';
import type { Told } from './history.ts';
import { within } from './within.ts';

/** A JSON line that the Go program printed. */
export interface Line extends Told {
  readonly [member: string]: unknown;
}

export interface PeerOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** What its connections go through; closed with it. */
  readonly proxy: FaultyProxy;
  readonly namespace: string;
  readonly scenario: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The Go program, running one scenario. No wait for it is without end. */
export class Peer implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly proxy: FaultyProxy;
  readonly #scenario: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<number | null>;
  readonly #waiting = new Set<() => void>();
  #complaint = '';
  #isClosed = false;

  constructor(options: PeerOptions) {
    const { program, kubeconfig, proxy, namespace, scenario, flags = [], env = {} } = options;
    const words = [`-kubeconfig=${kubeconfig}`, `-namespace=${namespace}`, ...flags, scenario];
    this.proxy = proxy;
    this.#scenario = scenario;
    this.#child = spawn(program, words, { env: { PATH: process.env.PATH, ...env } });
    // A word to one that has just ended is lost, as it may be.
    this.#child.stdin.on('error', () => {});
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
  until(what: string, condition: (lines: readonly Line[]) => boolean): Promise<void> {
    const wait = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (condition(this.lines)) resolve();
          else if (this.#isClosed) reject(new Error(`it ended before ${what}; ${this.#words()}`));
          else if (!signal.aborted) return;
          this.#waiting.delete(check);
        };
        this.#waiting.add(check);
        signal.addEventListener('abort', check);
        check();
      });
    return within(() => `${what}; ${this.#words()}`, wait);
  }

  /** The first line with this member, now or later. */
  async line(member: string): Promise<Line> {
    await this.until(`a line with ${member}`, (lines) => lines.some((line) => member in line));
    const found = this.lines.find((line) => member in line);
    if (found === undefined) throw new Error(`no line has ${member}`);
    return found;
  }

  ask(word: string): void {
    this.#child.stdin.write(`${word}\n`);
  }

  /** Stops its clock and all it does, until `thaw`. Its connections stay as they are. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Lets it end in an orderly way; all it printed, or an error with its last words. */
  async end(): Promise<readonly Line[]> {
    this.#child.stdin.end();
    return this.finished();
  }

  /** When it ends by itself. */
  async finished(): Promise<readonly Line[]> {
    const code = await this.exitCode();
    if (code !== 0) throw new Error(`it ended with ${code}; ${this.#words()}`);
    return this.lines;
  }

  /** With which code it ends by itself. */
  exitCode(): Promise<number | null> {
    return within(
      () => `its end; ${this.#words()}`,
      () => this.#closed,
    );
  }

  /** As a crash ends it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.kill();
    await this.proxy[Symbol.asyncDispose]();
  }

  #words(): string {
    const last = this.lines.slice(-3).map((line) => JSON.stringify(line).slice(0, 300));
    return `scenario ${this.#scenario}, last lines ${last.join(' ')} ${this.#complaint}`;
  }

  #wake(): void {
    for (const check of this.#waiting) check();
  }
}
