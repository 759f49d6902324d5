import { join } from 'node:path';
import { readProject, type Project } from '../project/project.ts';
import { projectDefinitions } from '../project/definitions/project-definitions.ts';
import { Failures } from '../terminal/failures.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DevCluster } from './cluster/dev-cluster.ts';
import type { ProgramStarted } from './program/program-preload.ts';
import { ProgramProcess } from './program/program-process.ts';
import type { ProgramReaper } from './program/program-reaper.ts';
import type { ProgramEnd, RunningProgram } from './program/running-program.ts';
import type { SessionHost } from './session/session.ts';

/** The parts that the host of a session connects. */
export interface DevHostOptions {
  readonly project: Project;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cluster: DevCluster;
  readonly reaper: ProgramReaper;
  readonly terminal: Terminal;
  /** Receives the project after it was read again. */
  readonly onProject: (project: Project) => void;
}

/** Connects a session with the project, the cluster and the terminal. */
export class DevHost implements SessionHost {
  readonly #options: DevHostOptions;
  #project: Project;
  /** The time of the change that leads to the next start; undefined for the first start. */
  #changedAt: number | undefined;

  constructor(options: DevHostOptions) {
    this.#options = options;
    this.#project = options.project;
  }

  /** Begins to measure a restart, unless an earlier change did. */
  noteChange(at: number): void {
    this.#changedAt ??= at;
  }

  async prepare(signal: AbortSignal): Promise<boolean> {
    const { cluster, onProject } = this.#options;
    try {
      this.#project = await readProject(this.#project.folder);
      onProject(this.#project);
      const definitions = cluster.installsDefinitions
        ? await projectDefinitions(this.#project, { env: this.#env, signal })
        : [];
      await cluster.prepare({ project: this.#project, definitions }, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#reportFailure(error);
      return false;
    }
  }

  start(): RunningProgram {
    const { args, reaper } = this.#options;
    const { folder, main } = this.#project;
    const changedAt = this.#changedAt;
    this.#changedAt = undefined;
    const program = new ProgramProcess({
      folder,
      main,
      args,
      env: this.#env,
      onStarted: (started) => this.#reportStart(started, changedAt),
    });
    reaper.watch(program.pid);
    void program.ended.then(() => reaper.watch(undefined));
    return program;
  }

  ended(end: ProgramEnd): void {
    const { terminal } = this.#options;
    const [how] = Object.entries(end).map(([kind, value]) => `${kind} ${value}`);
    const text = `The program ended (${how}) and starts after the next change.`;
    if ('code' in end && end.code === 0) terminal.print(text);
    else terminal.complain(text);
  }

  get #env(): NodeJS.ProcessEnv {
    const { env, cluster } = this.#options;
    const compileCache = join(this.#project.folder, 'node_modules', '.cache', 'keelson', 'compile');
    // Without types to remove and code to compile again, a restart takes half the time.
    return { NODE_COMPILE_CACHE: compileCache, ...env, KUBECONFIG: cluster.kubeconfig };
  }

  #reportStart({ inspector }: ProgramStarted, changedAt: number | undefined): void {
    const { terminal } = this.#options;
    const { main } = this.#project;
    const restarted = `restarted in ${Math.round(performance.now() - (changedAt ?? 0))} ms`;
    terminal.print(changedAt === undefined ? `started     ${main}` : restarted);
    if (inspector !== undefined) terminal.print(`inspector   ${inspector} (chrome://inspect)`);
  }

  #reportFailure(error: unknown): void {
    this.#changedAt = undefined;
    const { terminal } = this.#options;
    const failures = new Failures();
    failures.add(error);
    failures.report(terminal);
    terminal.complain('The program starts after the next change.');
  }
}
