import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { EnvtestError } from '../errors.ts';
import { LogLines } from './log-lines.ts';
import type {
  SupervisedSignal,
  SupervisorCommand,
  SupervisorReport,
} from './supervisor-messages.ts';

/** The program beside this file: TypeScript in the sources, JavaScript where it was built. */
const program = new URL(`./supervisor-main${extname(import.meta.url)}`, import.meta.url);

/** Processes that never outlive this one, also when it is killed. */
export class Supervisor {
  readonly #child: ChildProcess;
  readonly #logs = new Map<string, LogLines>();
  readonly #exits = new Map<string, string>();
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.on('message', (message: SupervisorReport) => this.#take(message));
  }

  /** Starts the supervisor, which removes `folder` at its end. Throws `START_FAILED`. */
  static async create(folder: string, stopTimeout: number): Promise<Supervisor> {
    // In a group of its own: a signal to the group of the test process must not reach what cleans up after it.
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

  /** Starts a process; what it prints is kept under its name, after what a predecessor of that name printed. */
  start(name: string, command: string, args: readonly string[]): void {
    if (!this.#logs.has(name)) this.#logs.set(name, new LogLines());
    this.#exits.delete(name);
    this.#send({ type: 'start', name, command, args });
  }

  /** Freezes a process or lets it go on; resolves when the signal is sent. */
  async signal(name: string, signal: Exclude<SupervisedSignal, 'SIGKILL'>): Promise<void> {
    const sent = this.#told((report) => report.type === 'signalled' && report.name === name);
    this.#send({ type: 'signal', name, signal });
    await sent;
  }

  /** Ends a process at once; resolves when it has ended. */
  async kill(name: string): Promise<void> {
    if (this.#exits.has(name)) return;
    const ended = this.#told((report) => report.type === 'exit' && report.name === name);
    this.#send({ type: 'signal', name, signal: 'SIGKILL' });
    await ended;
  }

  /** The processes that have ended, and why. */
  get exits(): ReadonlyMap<string, string> {
    return this.#exits;
  }

  logs(): Record<string, string> {
    return Object.fromEntries([...this.#logs].map(([name, lines]) => [name, lines.toString()]));
  }

  /** Ends every process, then the supervisor itself; settles when all of it has ended. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  /** `stop`, of processes of which nothing is wanted any more: an API server without its etcd takes long to end. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#logs.keys()].map((name) => this.kill(name)));
    await this.stop();
  }

  async #told(wanted: (report: SupervisorReport) => boolean): Promise<void> {
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

  #take(message: SupervisorReport): void {
    if (message.type === 'output') this.#logs.get(message.name)?.add(message.text);
    if (message.type === 'exit') this.#exits.set(message.name, message.reason);
  }
}

/** Rejects when a process ends. */
async function failure(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  throw new EnvtestError('START_FAILED', {
    process: 'supervisor',
    reason: signal ?? `code ${code}`,
  });
}
