import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../../errors.ts';
import type { KindModule } from '../kind-modules.ts';
import type { DefinitionsMessage, ModuleMessage } from './definitions-main.ts';
import { inheritedOptions } from './inherited-options.ts';

const program = fileURLToPath(
  new URL(`./definitions-main${extname(import.meta.url)}`, import.meta.url),
);

/** The exit code of Node.js for an `await` at the top level of a module that never settles. */
const UNSETTLED_AWAIT = 13;

/** The process that imports the kind modules. */
export interface ProcessOptions {
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Kills the process. */
  readonly signal?: AbortSignal | undefined;
  /** True to let Node.js print an error of a module itself, with its line and stack; `end` is then the result. */
  readonly printsErrors?: boolean;
}

/** The result of the process: the modules, or how it ended without them. */
export type ProcessResult = { readonly modules: readonly KindModule[] } | { readonly end: string };

/**
 * Imports kind modules in a process of their own. What a module does while it is imported (print, exit, start timers) changes
 * neither the output nor the end of the command, and a later call imports the current state of the files.
 */
export async function runDefinitionsProcess(
  files: readonly string[],
  { env = process.env, signal, printsErrors = false }: ProcessOptions,
): Promise<ProcessResult> {
  const words = [program, printsErrors ? 'print' : 'report', ...files];
  const child = spawn(process.execPath, [...inheritedOptions(), ...words], {
    // The standard output is that of the command, such as YAML for kubectl.
    stdio: ['ignore', 2, 2, 'ipc'],
    env,
    killSignal: 'SIGKILL',
    signal,
  });
  let message: DefinitionsMessage | undefined;
  child.on('message', (received) => {
    if (isMessage(received)) message = received;
  });
  const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
  if (message === undefined || code !== 0) {
    return { end: killedBy === null ? endOf(code) : `the process ended with ${killedBy}` };
  }
  return { modules: (JSON.parse(message.modules) as ModuleMessage[]).map(moduleOf) };
}

function moduleOf(message: ModuleMessage): KindModule {
  if ('definitions' in message) return message;
  return { file: message.file, error: new CliError(message.code, message.facts) };
}

function endOf(code: number | null): string {
  if (code === UNSETTLED_AWAIT) return 'an await at the top level of a module never settles';
  return `the process ended with code ${code}`;
}

/** A module may send messages too. */
function isMessage(received: unknown): received is DefinitionsMessage {
  return typeof received === 'object' && received !== null && 'modules' in received;
}
