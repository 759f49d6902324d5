import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from './output-of.ts';
import { PackedRegistry } from './packed-registry.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The settings of yarn, which reads no `.npmrc` and refuses packages that are younger than a day. */
const yarnSettings = (registry: string, keelson: string): string => `
nodeLinker: pnp
enableGlobalCache: false
enableImmutableInstalls: false
enableTelemetry: false
npmMinimalAgeGate: 0
npmRegistryServer: '${registry}'
npmScopes: { keelson: { npmRegistryServer: '${keelson}', npmMinimalAgeGate: 0 } }
unsafeHttpWhitelist: ['127.0.0.1']
`;

/** A project in an empty folder, and the registry from which it installs the Keelson packages. */
export class InstalledProject implements AsyncDisposable {
  readonly folder: string;
  readonly #parent: string;
  readonly #registry: PackedRegistry;

  private constructor(parent: string, registry: PackedRegistry) {
    this.#parent = parent;
    this.#registry = registry;
    this.folder = join(parent, 'project');
  }

  /** Packs the packages, which requires a build, and creates the project. It installs nothing. */
  static async create(): Promise<InstalledProject> {
    const parent = await mkdtemp(join(tmpdir(), 'keelson-packages-'));
    const project = new InstalledProject(parent, await PackedRegistry.create(root, parent));
    await mkdir(project.folder);
    await project.write('package.json', '{ "type": "module", "private": true }');
    await project.write('.npmrc', `@keelson:registry=${project.#registry.url}\n`);
    // Without hoisting, even the packages inside the store of pnpm can import only their listed dependencies.
    await project.write('pnpm-workspace.yaml', 'hoist: false\nshamefullyHoist: false\n');
    const registry = (await project.run('npm', 'config', 'get', 'registry')).trim();
    await project.write('.yarnrc.yml', yarnSettings(registry, project.#registry.url));
    // Otherwise yarn looks for a project in the folders above.
    await project.write('yarn.lock', '');
    return project;
  }

  /** Runs a command that can reach only the registries; resolves with its output. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { KUBEBUILDER_ASSETS: _assets, ...rest } = process.env;
    const quiet = { NPM_CONFIG_AUDIT: 'false', NPM_CONFIG_FUND: 'false', CI: 'true' };
    return outputOf({ cwd: this.folder, env: { ...rest, ...quiet } }, command, args);
  }

  /** Writes a file into the folder of the project. */
  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
    await rm(this.#parent, { recursive: true });
  }
}
