import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CliError } from '../errors.ts';

/** Where a command runs, and the environment variables that it gets besides those of this process. */
export interface CommandOptions {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs a command with the input and output of this process. Throws `COMMAND_FAILED` unless it exits with 0. */
export async function runCommand(
  [program = '', ...words]: readonly string[],
  { folder, variables }: CommandOptions,
): Promise<void> {
  const facts = { command: [program, ...words].join(' ') };
  if (program === '')
    throw new CliError('COMMAND_FAILED', { ...facts, reason: 'the name is empty' });
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: 'inherit',
    // npm is a batch file there.
    shell: process.platform === 'win32',
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  // A terminal sends SIGINT to the child too. This process waits for its end, to remove its files.
  process.on('SIGINT', ignore).on('SIGTERM', forward).on('SIGHUP', forward);
  try {
    const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (exitCode !== 0) {
      const end = signal === null ? { exitCode } : { signal };
      throw new CliError('COMMAND_FAILED', { ...facts, ...end });
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('COMMAND_FAILED', { ...facts, reason }, { cause });
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', forward).off('SIGHUP', forward);
  }
}

/** As a listener of a signal it replaces the default, which ends the process. */
function ignore(): void {}
