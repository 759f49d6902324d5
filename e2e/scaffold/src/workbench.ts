import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf, PackedRegistry } from '@keelson/e2e-runtimes';
import { RunningCommand } from './running-command.ts';

/** Lets a program choose its ports: another program may use the fixed ones on this machine. */
export const freePorts: Readonly<Record<string, string>> = {
  METRICS_BIND_PORT: '0',
  HEALTH_BIND_PORT: '0',
  WEBHOOK_BIND_PORT: '0',
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder for new projects, and a registry with the packed packages. */
export class Workbench implements AsyncDisposable {
  readonly #parent: string;
  readonly #registry: PackedRegistry;

  private constructor(parent: string, registry: PackedRegistry) {
    this.#parent = parent;
    this.#registry = registry;
  }

  /** Packs the packages, which requires a build. */
  static async create(): Promise<Workbench> {
    const parent = await mkdtemp(join(tmpdir(), 'keelson-scaffold-'));
    return new Workbench(parent, await PackedRegistry.create(root, parent));
  }

  folderOf(project: string): string {
    return join(this.#parent, project);
  }

  /** Runs `npm create keelson` in the folder of the projects. */
  async create(...words: readonly string[]): Promise<string> {
    return this.run('.', 'npm', 'create', '--yes', 'keelson', '--', ...words);
  }

  /** Runs a command in a project and resolves with its output. */
  async run(project: string, command: string, ...args: readonly string[]): Promise<string> {
    return outputOf({ cwd: this.folderOf(project), env: this.#env }, command, args);
  }

  /** Starts a program of Node.js in a project. */
  start(
    project: string,
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): RunningCommand {
    const env = { ...this.#env, ...variables };
    return new RunningCommand(process.execPath, args, { cwd: this.folderOf(project), env });
  }

  /** Installs the packages of one project for all, which have the same. */
  async install(first: string, ...others: readonly string[]): Promise<void> {
    await this.run(first, 'npm', 'install');
    const modules = join(this.folderOf(first), 'node_modules');
    for (const other of others) {
      await symlink(modules, join(this.folderOf(other), 'node_modules'), 'junction');
    }
  }

  /** npm keeps programs that it ran once in its cache, by their names: the cache must be new. */
  get #env(): NodeJS.ProcessEnv {
    const { KUBEBUILDER_ASSETS: _assets, KUBECONFIG: _kubeconfig, ...rest } = process.env;
    return {
      ...rest,
      NPM_CONFIG_REGISTRY: this.#registry.url,
      NPM_CONFIG_CACHE: join(this.#parent, '.npm'),
      NPM_CONFIG_AUDIT: 'false',
      NPM_CONFIG_FUND: 'false',
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      NO_COLOR: '1',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
    await rm(this.#parent, { recursive: true });
  }
}
