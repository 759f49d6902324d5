import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InstalledProject } from '@keelson/e2e-runtimes';

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

/** The definition of a kind for `keelson types`. */
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example }
spec:
  group: shop.example
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object } } } }
`;

/** Creates a project with the program. */
async function createProject(): Promise<InstalledProject> {
  const project = await InstalledProject.create();
  await project.write('program.mjs', program);
  return project;
}

describe.each([
  ['npm', 'npm', 'install'],
  ['pnpm, whose strict layout hides unlisted dependencies', pnpm, 'add'],
])('the packages, installed by %s', (_name, manager, install) => {
  let project: InstalledProject;
  let names: string[];

  beforeAll(async () => {
    names = (await readdir(join(root, 'packages')))
      .filter((name) => name !== 'create-keelson') // npm create runs it
      .map((name) => `@keelson/${name}`);
    project = await createProject();
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

  test('generate types with npx keelson types, which the compiler accepts', async () => {
    await project.write('crd.yaml', definition);
    const words = ['keelson', 'types', 'crd.yaml', '-o', '.'];
    expect(await project.run('npx', '--offline', ...words)).toContain('1 modules, 0 unchanged');
    expect(await project.run(pnpm, 'exec', ...words, '--check')).toBe('');
    const options = ['--module', 'nodenext', '--strict', '--noEmit', '--skipLibCheck'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const modules = ['shop.example/v1/widgets.ts'];
    expect(await project.run(process.execPath, compiler, ...options, ...modules)).toBe('');
    await project.run(manager, install, 'typescript@5.6.3'); // the oldest supported version
    expect(await project.run('npx', '--offline', 'tsc', ...options, ...modules)).toBe('');
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
  await using project = await createProject();
  await project.run('npm', 'install', '@keelson/envtest');
  const usage = await project.run('npx', '--offline', '@keelson/apiserver', '--help');
  expect(await project.run('npx', '--offline', 'keelson-apiserver', '--help')).toBe(usage);
});
