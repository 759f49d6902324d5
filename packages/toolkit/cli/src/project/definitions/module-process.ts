import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inheritedOptions } from './inherited-options.ts';

/** The exit code of Node.js for an `await` at the top level of a module that never settles. */
const UNSETTLED_AWAIT = 13;

/** The process that imports modules of a project. */
export interface ModuleProcessOptions {
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Kills the process. */
  readonly signal?: AbortSignal | undefined;
}

/** The message of the program to the command: its result as JSON. */
export interface ModulesMessage {
  readonly modules: string;
}

/**
 * Runs a program of this package that imports modules of a project, and resolves with its message, or how it ended without
 * one. What a module does while it is imported (print, exit, start timers) changes neither the output nor the end of the
 * command, and a later call imports the current state of the files.
 */
export async function runModuleProcess(
  program: string,
  words: readonly string[],
  { env = process.env, signal }: ModuleProcessOptions,
): Promise<ModulesMessage | { readonly end: string }> {
  const child = spawn(process.execPath, [...inheritedOptions(), program, ...words], {
    // The standard output is that of the command, such as YAML for kubectl.
    stdio: ['ignore', 2, 2, 'ipc'],
    env,
    killSignal: 'SIGKILL',
    signal,
  });
  let message: ModulesMessage | undefined;
  child.on('message', (received) => {
    if (isMessage(received)) message = received;
  });
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
  if (message !== undefined && code === 0) return message;
  return { end: killedBy === null ? endOf(code) : `the process ended with ${killedBy}` };
}

function endOf(code: number | null): string {
  if (code === UNSETTLED_AWAIT) return 'an await at the top level of a module never settles';
  return `the process ended with code ${code}`;
}

/** A module may send messages too. */
function isMessage(received: unknown): received is ModulesMessage {
  return typeof received === 'object' && received !== null && 'modules' in received;
}
