import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

/** Milliseconds between two progress lines of a running build. */
const PROGRESS_INTERVAL_MS = 5000;

/** The module, the sources, the output and the settings of one `go build`. */
export interface GoBuildOptions {
  /** The folder of the Go module. */
  readonly module: string;
  /** A package, or the files of one. */
  readonly sources: readonly string[];
  /** The path of the binary. */
  readonly output: string;
  /** Values of variables that the linker sets, by their full names. */
  readonly variables: Readonly<Record<string, string>>;
  /** Called every five seconds with the progress. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `go build`. The binary appears whole or not at all. A failure rejects with the last lines of what Go wrote.
 */
export async function goBuild(options: GoBuildOptions): Promise<void> {
  const partial = `${options.output}.${process.pid}.part`;
  try {
    await compile({ ...options, output: partial });
    await rename(partial, options.output);
  } finally {
    await rm(partial, { force: true });
  }
}

async function compile(options: GoBuildOptions): Promise<void> {
  const { output, variables, onProgress, signal } = options;
  signal?.throwIfAborted();
  const set = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const ldflags = ['-s', '-w', ...set].join(' ');
  const args = ['build', '-v', '-trimpath', '-ldflags', ldflags, '-o', output, ...options.sources];
  const child = spawn('go', args, {
    cwd: options.module,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // On an interrupt go ends its compilers too.
  const interrupt = (): boolean => child.kill('SIGINT');
  signal?.addEventListener('abort', interrupt);
  const words = new BuildWords();
  const timer = setInterval(() => onProgress(words.progress()), PROGRESS_INTERVAL_MS);
  try {
    await ended(child, words);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    clearInterval(timer);
  }
}

async function ended(
  child: ChildProcessByStdio<null, null, Readable>,
  words: BuildWords,
): Promise<void> {
  createInterface({ input: child.stderr }).on('line', (line) => words.add(line));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`go build ended with ${String(code)}\n${words.last()}`);
}

/** The output of `go build -v`: a line for each downloaded module and each compiled package. */
class BuildWords {
  readonly #began = performance.now();
  #last: string[] = [];
  #modules = 0;
  #packages = 0;

  add(line: string): void {
    if (line.startsWith('go: downloading ')) this.#modules++;
    else if (!line.includes(' ')) this.#packages++;
    this.#last = [...this.#last.slice(-19), line];
  }

  /** How far it is. */
  progress(): string {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const counts = `${this.#modules} modules downloaded, ${this.#packages} packages compiled`;
    return `${seconds} s, ${counts}, last: ${this.#last.at(-1) ?? 'nothing yet'}`;
  }

  last(): string {
    return this.#last.join('\n');
  }
}
