import { join } from 'node:path';
import { readProject, type Project } from '../project/project.ts';
import { projectDefinitions } from '../project/definitions/project-definitions.ts';
import { Failures } from '../terminal/failures.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { admissionObjects } from './admission/admission-objects.ts';
import type { DevCluster, PreparedContent } from './cluster/dev-cluster.ts';
import { portEnvironment, type ProgramPorts, type SessionPorts } from './ports/session-ports.ts';
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
  readonly ports: SessionPorts;
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
  /** Undefined before the first preparation. */
  #ports: ProgramPorts | undefined;
  #printedWebhooks = '';

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
      await cluster.prepare(await this.#contentFor(cluster, signal), signal);
      await this.#choosePorts();
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
    const ended = new AbortController();
    void program.ended.then(() => {
      reaper.watch(undefined);
      return ended.abort();
    });
    void this.#callWebhooks(ended.signal);
    return program;
  }

  ended(end: ProgramEnd): void {
    const { terminal } = this.#options;
    const [how] = Object.entries(end).map(([kind, value]) => `${kind} ${value}`);
    const text = `The program ended (${how}) and starts after the next change.`;
    if ('code' in end && end.code === 0) terminal.print(text);
    else terminal.complain(text);
  }

  async #contentFor(cluster: DevCluster, signal: AbortSignal): Promise<PreparedContent> {
    const project = this.#project;
    if (!cluster.installsDefinitions) {
      return { project, definitions: [], admission: { configurations: [], policies: [] } };
    }
    const options = { env: this.#env, signal };
    const definitions = await projectDefinitions(project, options);
    return { project, definitions, admission: await admissionObjects(project, options) };
  }

  /** The program of another session may use the ports of this project. */
  async #choosePorts(): Promise<void> {
    const before = JSON.stringify(this.#ports);
    this.#ports = await this.#options.ports.choose(this.#project);
    if (JSON.stringify(this.#ports) === before) return;
    const ports = Object.entries(this.#ports).map(([server, port]) => `${server} ${port}`);
    this.#options.terminal.print(`ports       ${ports.join(', ')}`);
  }

  /** Reports the webhooks that the server calls, at the first start and after changes. */
  async #callWebhooks(signal: AbortSignal): Promise<void> {
    const { cluster, terminal } = this.#options;
    const port = this.#ports?.webhook;
    if (port === undefined) return;
    try {
      const callers = await cluster.callWebhooks(port, signal);
      const text = `webhooks    https://127.0.0.1:${port}`;
      if (callers > 0 && text !== this.#printedWebhooks) terminal.print(text);
      if (callers > 0) this.#printedWebhooks = text;
    } catch (error) {
      if (!signal.aborted) this.#report(error);
    }
  }

  get #env(): NodeJS.ProcessEnv {
    const { env, cluster } = this.#options;
    const compileCache = join(this.#project.folder, 'node_modules', '.cache', 'keelson', 'compile');
    // Without types to remove and code to compile again, a restart takes half the time.
    const ports = this.#ports && portEnvironment(this.#ports);
    return { NODE_COMPILE_CACHE: compileCache, ...env, ...ports, KUBECONFIG: cluster.kubeconfig };
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
    this.#report(error);
    this.#options.terminal.complain('The program starts after the next change.');
  }

  #report(error: unknown): void {
    const failures = new Failures();
    failures.add(error);
    failures.report(this.#options.terminal);
  }
}
