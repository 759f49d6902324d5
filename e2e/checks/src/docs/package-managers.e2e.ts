import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PackedRegistry } from './packed-registry.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const pnpm = join(root, 'node_modules/.bin/pnpm');

/** A program that loads the lazy dependencies of the packages: undici, client-node, the schemas of the server. */
const program = `
import { builtin, createClient, createManager, loadCluster } from '@keelson/manager';
import { createTestEnvironment } from '@keelson/envtest';

for (const name of JSON.parse(process.argv[2])) await import(name);
const environment = await createTestEnvironment({ use: 'memory' });
const { kubeconfig } = environment.admin;
const client = createClient({ cluster: await loadCluster({ kubeConfig: kubeconfig }) });
const manager = createManager({ cluster: environment.admin.cluster, stopSignals: [] });
const seen = Promise.withResolvers();
manager.addController({ name: 'seen', for: builtin.ConfigMap, reconcile: ({ name }) => seen.resolve(name) });
const running = manager.start();
await manager.started;
await client.create(builtin.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
await seen.promise;
await manager.stop();
await running;
await client.close();
await environment.stop();
console.log('reconciled');
`;

/** A project in an empty folder, and the registry from which it installs the Keelson packages. */
class Project implements AsyncDisposable {
  readonly folder: string;
  readonly #parent: string;
  readonly #registry: PackedRegistry;

  private constructor(parent: string, registry: PackedRegistry) {
    this.#parent = parent;
    this.#registry = registry;
    this.folder = join(parent, 'project');
  }

  static async create(): Promise<Project> {
    const parent = await mkdtemp(join(tmpdir(), 'keelson-packages-'));
    const project = new Project(parent, await PackedRegistry.create(root, parent));
    await mkdir(project.folder);
    await project.#write('package.json', '{ "type": "module", "private": true }');
    await project.#write('.npmrc', `@keelson:registry=${project.#registry.url}\n`);
    // Without hoisting, even the packages inside the store of pnpm can import only their listed dependencies.
    await project.#write('pnpm-workspace.yaml', 'hoist: false\nshamefullyHoist: false\n');
    await project.#write('program.mjs', program);
    return project;
  }

  /** Runs a command that can reach only the registries; resolves with its output. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { KUBEBUILDER_ASSETS: _assets, ...rest } = process.env;
    const quiet = { NPM_CONFIG_AUDIT: 'false', NPM_CONFIG_FUND: 'false', CI: 'true' };
    const options = { cwd: this.folder, env: { ...rest, ...quiet }, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(command, args, options).catch(
      ({ stdout: out, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${command} ${args.join(' ')} failed:\n${out}\n${stderr}`);
      },
    );
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
    await rm(this.#parent, { recursive: true });
  }

  async #write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }
}

describe.each([
  ['npm', 'npm', 'install'],
  ['pnpm, whose strict layout hides unlisted dependencies', pnpm, 'add'],
])('the packages, installed by %s', (_name, manager, install) => {
  let project: Project;
  let names: string[];

  beforeAll(async () => {
    names = (await readdir(join(root, 'packages'))).map((name) => `@keelson/${name}`);
    project = await Project.create();
    await project.run(manager, install, ...names);
  });

  afterAll(async () => {
    await project?.[Symbol.asyncDispose](); // undefined if packing failed
  });

  test('load, serve, authenticate and reconcile', async () => {
    const output = await project.run(process.execPath, 'program.mjs', JSON.stringify(names));
    expect(output).toContain('reconciled');
  });

  test('print the same help for npx @keelson/apiserver and npx keelson-apiserver', async () => {
    const usage = await project.run('npx', '--offline', '@keelson/apiserver', '--help');
    expect(usage).toMatch(/^keelson-apiserver: /);
    expect(await project.run('npx', '--offline', 'keelson-apiserver', '--help')).toBe(usage);
    expect(await project.run(pnpm, 'exec', 'keelson-apiserver', '--help')).toBe(usage);
  });

  test('name the repository and their folder in their package.json', async () => {
    for (const name of names) {
      const text = await readFile(
        join(project.folder, 'node_modules', name, 'package.json'),
        'utf8',
      );
      const { repository } = JSON.parse(text) as { repository?: { directory?: string } };
      expect(repository?.directory).toBe(name.replace('@keelson', 'packages'));
    }
  });
});

test('npx @keelson/apiserver runs the server that @keelson/envtest depends on', async () => {
  await using project = await Project.create();
  await project.run('npm', 'install', '@keelson/envtest');
  const usage = await project.run('npx', '--offline', '@keelson/apiserver', '--help');
  expect(await project.run('npx', '--offline', 'keelson-apiserver', '--help')).toBe(usage);
});
