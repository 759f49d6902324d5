import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { FaultyProxy } from './faulty-proxy.ts';
import type { ReportLine } from './history.ts';
import { within } from './within.ts';

/** A JSON line that the Go program printed. */
export interface Line extends ReportLine {
  readonly [member: string]: unknown;
}

export interface PeerOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** The proxy of the program's connections, which is closed with the program. */
  readonly proxy: FaultyProxy;
  readonly namespace: string;
  readonly scenario: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The Go program, running one scenario. Every wait for it has a timeout. */
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
    // A command to a program that has just ended is lost, which is harmless.
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

  /** Resolves when the output of the program satisfies the condition; rejects if the program ends before. */
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

  /** Resolves with the first line that has this member. */
  async line(member: string): Promise<Line> {
    await this.until(`a line with ${member}`, (lines) => lines.some((line) => member in line));
    const found = this.lines.find((line) => member in line);
    if (found === undefined) throw new Error(`no line has ${member}`);
    return found;
  }

  ask(word: string): void {
    this.#child.stdin.write(`${word}\n`);
  }

  /** Pauses the program until `thaw`. Its connections stay open. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops the program gracefully; returns its output, or throws with its last lines. */
  async end(): Promise<readonly Line[]> {
    this.#child.stdin.end();
    return this.finished();
  }

  /** Waits until the program ends by itself; returns its output. */
  async finished(): Promise<readonly Line[]> {
    const code = await this.exitCode();
    if (code !== 0) throw new Error(`it ended with ${code}; ${this.#words()}`);
    return this.lines;
  }

  /** Waits until the program ends by itself; returns its exit code. */
  exitCode(): Promise<number | null> {
    return within(
      () => `its end; ${this.#words()}`,
      () => this.#closed,
    );
  }

  /** Kills the program, as a crash does. */
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
