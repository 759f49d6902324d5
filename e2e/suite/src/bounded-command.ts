import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RunningTests } from './running-tests.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A command with a limit for the time without output. */
export interface BoundedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds without a line of output after which the command counts as hung. */
  readonly silence: number;
  /** Receives each line of output. */
  readonly print: (line: string) => void;
}

/**
 * Runs a command at the root of the repository. If it prints nothing for too long, it is killed with its children,
 * and the running tests are printed. Resolves with true if the command succeeded.
 */
export async function runBounded(options: BoundedCommand): Promise<boolean> {
  const child = spawn(options.command, options.args, {
    cwd: root,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, which can be killed as one. Ctrl-C does not reach the group.
    detached: true,
  });
  const end = (): void => kill(child);
  process.once('exit', end);
  try {
    using _ = watch(child, options);
    // `close`, unlike `exit`, waits for all output.
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0;
  } finally {
    process.off('exit', end);
  }
}

/** Forwards the lines of a process and kills it after too long without one. */
function watch(child: ChildProcess, { silence, print }: BoundedCommand): Disposable {
  const running = new RunningTests();
  const giveUp = (): void => {
    print(`!!! HUNG: no output for ${silence / 1000} s; ${inWords(running.titles)}`);
    kill(child);
  };
  let timer = setTimeout(giveUp, silence);
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) throw new Error('the output of a command is not read');
    createInterface({ input }).on('line', (line) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, silence);
      const shown = running.take(line);
      if (shown !== undefined) print(shown);
    });
  }
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function inWords(titles: readonly string[]): string {
  if (titles.length === 0) return 'no test was running; something else keeps the process alive';
  return `running tests: ${titles.join('; ')}`;
}

function kill({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}
