import { spawn, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { inheritedOptions } from '../../project/definitions/inherited-options.ts';
import type { ProgramStarted } from './program-preload.ts';
import type { ProgramEnd, RunningProgram } from './running-program.ts';

const preload = new URL(`./program-preload${extname(import.meta.url)}`, import.meta.url);

/** The main module of a project, and how its process is started. */
export interface ProgramOptions {
  /** The folder in which the program runs. */
  readonly folder: string;
  /** The path of its main module. */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Receives the address of the inspector as soon as the process runs. */
  readonly onStarted: (started: ProgramStarted) => void;
}

/** A process that runs the main module of a project with the Node.js of this process. */
export class ProgramProcess implements RunningProgram {
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcess;
  #isTerminated = false;

  constructor(options: ProgramOptions) {
    const { folder, env, onStarted } = options;
    this.#child = spawn(process.execPath, argumentsOf(options), {
      cwd: folder,
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // In its own process group: Ctrl-C reaches only keelson, which sends one SIGTERM.
      detached: true,
    });
    this.#child.on('message', (message: ProgramStarted) => onStarted(message));
    this.ended = endOf(this.#child);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  terminate(): void {
    if (this.#isTerminated) return;
    this.#isTerminated = true;
    this.#child.kill('SIGTERM');
  }

  kill(): void {
    killGroup(this.#child);
  }
}

/** Kills the program with the processes that it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // On Windows there are no groups; and the group may have ended just now.
    child.kill('SIGKILL');
  }
}

function argumentsOf({ main, args }: ProgramOptions): readonly string[] {
  return [
    ...inheritedOptions(),
    // Port 0: two sessions never compete for a port. With "http" the address is not printed by Node.js itself.
    '--inspect=127.0.0.1:0',
    '--inspect-publish-uid=http',
    '--enable-source-maps',
    '--import',
    `${preload.href}?parent=${process.pid}`,
    main,
    ...args,
  ];
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once('error', ({ message }) => {
    // Also emitted for a failed signal, after which the process runs.
    if (child.pid === undefined) resolve({ reason: message });
  });
  child.once('exit', (code, signal) => {
    // Processes that the program left would hold its ports, and outlive the command.
    killGroup(child);
    resolve(signal === null ? { code: code ?? 0 } : { signal });
  });
  return promise;
}
