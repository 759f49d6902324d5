import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject } from '../project/create-project.ts';
import { compileProjects } from '../testing/compile-projects.test-support.ts';
import { runInProject } from '../testing/run-in-project.test-support.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { variants, type Variant } from './variant.ts';

const packages = fileURLToPath(new URL('../../../..', import.meta.url));

let temporary: TemporaryFolder;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
});

afterEach(() => temporary[Symbol.asyncDispose]());

describe.each(Object.keys(variants) as Variant[])('the template %s', (variant) => {
  test('has the definition that keelson crd generate writes', async () => {
    const folder = join(temporary.path, 'order-operator');
    const names = { group: 'sales.example', kind: 'Order', plural: 'orders' };
    await createProject({ name: 'order-operator', ...names, variant }, folder);
    const program = join(packages, 'toolkit/cli/src/program/bin.ts');
    await runInProject(folder, program, 'crd', 'generate', '--check');
  });
});

test('the templates compile with the options of a project', async () => {
  const names = Object.keys(variants) as Variant[];
  for (const variant of names) {
    const kind = { group: 'sales.example', kind: 'Order', plural: 'orders' };
    await createProject(
      { name: 'order-operator', ...kind, variant },
      join(temporary.path, variant),
    );
  }
  expect(await compileProjects(temporary.path, names)).toBe('');
});

test('the webhook has the port and the certificate of keelson manifests, which register it by its declaration', async () => {
  const folder = join(temporary.path, 'order-operator');
  const names = { group: 'sales.example', kind: 'Order', plural: 'orders' };
  await createProject({ name: 'order-operator', ...names, variant: 'webhook' }, folder);
  await runInProject(folder, join(packages, 'toolkit/cli/src/program/bin.ts'), 'manifests');
  const textOf = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  const deployment = await textOf('deploy/kustomize/base/deployment.yaml');
  const mountPath = /mountPath: (\S+)/.exec(deployment)?.[1];
  const main = await textOf('src/main.ts');
  expect(main).toContain(`const certificates = '${mountPath}';`);
  expect(main).toContain("WEBHOOK_BIND_PORT = '9443'");
  expect(deployment).toContain('containerPort: 9443');
  const registration = await textOf('deploy/kustomize/base/webhook.yaml');
  expect(registration).toContain('path: /validate/order\n');
});
