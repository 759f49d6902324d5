import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The exit code and the output of a run of kubectl. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The standard input and the environment of a run. */
export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs kubectl against one server. */
export interface Kubectl {
  /** Runs it and returns its standard output. Throws if it fails. */
  (...words: string[]): Promise<string>;
  /** Runs it and returns the outcome, also of a failure. */
  run(words: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Starts it and leaves it running. */
  start(words: readonly string[]): ChildProcess;
}

/** The kubectl of this machine; throws with instructions if it is missing. */
export function kubectlFor(kubeconfig: string, home: string): Kubectl {
  const command = process.env.KUBECTL ?? 'kubectl';
  // A home of its own: no foreign kubeconfig and no old discovery cache.
  const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig };
  const start = (words: readonly string[], more?: RunOptions['env']): ChildProcess =>
    spawn(command, words, { env: { ...env, ...more }, stdio: 'pipe' });
  const run = async (words: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
    const child = start(words, options.env);
    child.stdin?.end(options.input ?? '');
    const [stdout, stderr, code] = await Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      exitOf(child, command),
    ]);
    return { code, stdout, stderr };
  };
  const succeed = async (...words: string[]): Promise<string> => {
    const outcome = await run(words);
    if (outcome.code !== 0) {
      throw new Error(`kubectl ${words.join(' ')} ended with ${outcome.code}: ${outcome.stderr}`);
    }
    return outcome.stdout;
  };
  return Object.assign(succeed, { run, start });
}

async function exitOf(child: ChildProcess, command: string): Promise<number | null> {
  try {
    const [code] = await once(child, 'close');
    return code as number | null;
  } catch (error) {
    throw new Error(
      `!!! no kubectl: ${command} cannot be run. Set KUBECTL, put one on PATH, or build one with "npm run e2e:binaries -- kubectl"`,
      { cause: error },
    );
  }
}
