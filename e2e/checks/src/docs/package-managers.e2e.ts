import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  compilerOptions,
  InstalledProject,
  libraryNames,
  programOfTypes,
} from '@keelson/e2e-runtimes';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const pnpm = join(root, 'node_modules/.bin/pnpm');
const yarn = join(root, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');

/** The words before a command: to install packages, to run Node.js, and to run a program of a package. */
interface PackageManager {
  readonly name: string;
  readonly install: readonly [string, ...string[]];
  readonly node: readonly [string, ...string[]];
  readonly bin: readonly [string, ...string[]];
}

const packageManagers: readonly PackageManager[] = [
  {
    name: 'npm',
    install: ['npm', 'install'],
    node: [process.execPath],
    bin: ['npx', '--offline'],
  },
  {
    name: 'pnpm, whose strict layout hides unlisted dependencies',
    install: [pnpm, 'add'],
    node: [process.execPath],
    bin: [pnpm, 'exec'],
  },
  {
    name: 'yarn Plug and Play, without node_modules',
    install: [process.execPath, yarn, 'add'],
    node: [process.execPath, yarn, 'node'],
    bin: [process.execPath, yarn, 'run'],
  },
];

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

/** A kind module for `keelson crd generate`. */
const kindModule = `
import { defineKind } from '@keelson/schema';

const group: string = 'shop.example';
export const gadgets = defineKind({
  group,
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  spec: { type: 'object', properties: { size: { type: 'integer' } } },
});
`;

/** Creates a project with the program. */
async function createProject(): Promise<InstalledProject> {
  const project = await InstalledProject.create();
  await project.write('program.mjs', program);
  return project;
}

describe.each(packageManagers)('the packages, installed by $name', ({ install, node, bin }) => {
  let project: InstalledProject;
  let names: string[];

  beforeAll(async () => {
    names = await libraryNames();
    project = await createProject();
    // The oldest supported compiler.
    await project.run(...install, ...names, 'typescript@5.6.3', '@types/node@24');
  });

  afterAll(async () => {
    await project?.[Symbol.asyncDispose](); // undefined if packing failed
  });

  test('load, serve, authenticate and reconcile', async () => {
    const output = await project.run(...node, 'program.mjs', JSON.stringify(names));
    expect(output).toContain('reconciled');
  });

  test('have the program keelson-apiserver', async () => {
    const usage = await project.run(...bin, 'keelson-apiserver', '--help');
    expect(usage).toMatch(/^keelson-apiserver: /);
  });

  test('have declarations whose imports resolve, in libraries too', async () => {
    await project.write('uses.ts', programOfTypes(names));
    expect(await project.run(...bin, 'tsc', ...compilerOptions, 'uses.ts')).toBe('');
  });

  test('generate the definition of a kind module with keelson crd generate', async () => {
    await project.write('gadget.ts', kindModule);
    const definitions = await project.run(...bin, 'keelson', 'crd', 'generate', 'gadget.ts');
    expect(definitions).toContain('name: gadgets.shop.example\n');
  });

  test('generate types with keelson types, which the oldest compiler accepts', async () => {
    await project.write('crd.yaml', definition);
    const words = ['keelson', 'types', 'crd.yaml', '-o', '.'];
    expect(await project.run(...bin, ...words)).toContain('1 module, 0 unchanged');
    expect(await project.run(...bin, ...words, '--check')).toBe('');
    const modules = ['shop.example/v1/widgets.ts'];
    expect(await project.run(...bin, 'tsc', ...compilerOptions, ...modules)).toBe('');
  });
});

test('npx @keelson/apiserver runs the server that @keelson/envtest depends on', async () => {
  await using project = await createProject();
  await project.run('npm', 'install', '@keelson/envtest');
  const usage = await project.run('npx', '--offline', '@keelson/apiserver', '--help');
  expect(await project.run('npx', '--offline', 'keelson-apiserver', '--help')).toBe(usage);
});
