import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { EnvtestError } from '../errors.ts';
import type {
  SupervisedSignal,
  SupervisorCommand,
  SupervisorReport,
} from './supervisor-messages.ts';

/** The program of the supervisor: TypeScript in the sources, JavaScript in the built package. */
const program = new URL(`./supervisor-main${extname(import.meta.url)}`, import.meta.url);

/** Runs processes that end with this process, also if it is killed. */
export class Supervisor {
  readonly #child: ChildProcess;
  readonly #logs = new Map<string, LogLines>();
  readonly #exits = new Map<string, string>();
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.on('message', (message: SupervisorReport) => this.#handleReport(message));
  }

  /** Starts the supervisor, which removes `folder` when it ends. Throws `START_FAILED`. */
  static async create(folder: string, stopTimeout: number): Promise<Supervisor> {
    // In its own process group: a signal to the group of the test process must not end the supervisor.
    const child = fork(program, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
      detached: true,
    });
    try {
      await Promise.race([once(child, 'message'), failure(child)]);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const supervisor = new Supervisor(child);
    supervisor.#send({ type: 'adopt', folder, stopTimeout });
    return supervisor;
  }

  /** Starts a process. Its output is kept under its name, after the output of an earlier process of that name. */
  start(name: string, command: string, args: readonly string[]): void {
    if (!this.#logs.has(name)) this.#logs.set(name, new LogLines());
    this.#exits.delete(name);
    this.#send({ type: 'start', name, command, args });
  }

  /** Pauses or resumes a process; resolves when it has stopped, or when the signal to resume is sent. */
  async signal(name: string, signal: Exclude<SupervisedSignal, 'SIGKILL'>): Promise<void> {
    // The report of an earlier pause may arrive after the signal to resume.
    const sent = this.#reported(
      (report) => report.type === 'signalled' && report.name === name && report.signal === signal,
    );
    this.#send({ type: 'signal', name, signal });
    await sent;
  }

  /** Kills a process; resolves when it has ended. */
  async kill(name: string): Promise<void> {
    if (this.#exits.has(name)) return;
    const ended = this.#reported((report) => report.type === 'exit' && report.name === name);
    this.#send({ type: 'signal', name, signal: 'SIGKILL' });
    await ended;
  }

  /** The processes that have ended, with the reason of each. */
  get exits(): ReadonlyMap<string, string> {
    return this.#exits;
  }

  logs(): Record<string, string> {
    return Object.fromEntries([...this.#logs].map(([name, lines]) => [name, lines.toString()]));
  }

  /** Ends every process, then the supervisor itself; resolves when all have ended. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  /** Kills every process, then stops: an API server without its etcd takes long for a graceful shutdown. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#logs.keys()].map((name) => this.kill(name)));
    await this.stop();
  }

  async #reported(wanted: (report: SupervisorReport) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = (report: SupervisorReport): void => {
      if (wanted(report)) resolve();
    };
    this.#child.on('message', listener);
    await Promise.race([promise, this.#ended]);
    this.#child.off('message', listener);
  }

  #send(command: SupervisorCommand): void {
    this.#child.send(command);
  }

  #handleReport(message: SupervisorReport): void {
    if (message.type === 'output') this.#logs.get(message.name)?.add(message.text);
    if (message.type === 'exit') this.#exits.set(message.name, message.reason);
  }
}

/** Rejects with `START_FAILED` when a process ends. */
async function failure(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new EnvtestError('START_FAILED', {
    process: 'supervisor',
    reason: signal ?? `code ${code}`,
  });
}

const limit = 200;

/** The last lines of output of a process, bounded however long the process runs. */
export class LogLines {
  readonly #lines: string[] = [];
  #rest = '';

  add(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines.push(...lines);
    this.#lines.splice(0, this.#lines.length - limit);
  }

  toString(): string {
    return [...this.#lines, this.#rest].join('\n').trimEnd();
  }
}
