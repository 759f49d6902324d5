import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createProject } from '../project/create-project.ts';
import { compileProjects } from '../testing/compile-projects.test-support.ts';
import { runInProject } from '../testing/run-in-project.test-support.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { variants, type Variant } from './variant.ts';

const packages = fileURLToPath(new URL('../../../..', import.meta.url));
const linter = join(packages, '../node_modules/oxlint/bin/oxlint');
const keelson = join(packages, 'toolkit/cli/src/program/bin.ts');

const additions: readonly (readonly string[])[] = [
  ['kind', 'Invoice'],
  ['webhook', 'Invoice'],
  ['webhook', 'Order', '--mutate'],
  ['policy', 'Invoice'],
];

const names = Object.keys(variants) as Variant[];
let temporary: TemporaryFolder;

const run = (variant: Variant, ...words: readonly string[]): Promise<string> =>
  runInProject(join(temporary.path, variant), keelson, ...words);

beforeAll(async () => {
  temporary = await TemporaryFolder.create();
  for (const variant of names) {
    const kind = { group: 'sales.example', kind: 'Order', plural: 'orders' };
    await createProject(
      { name: 'order-operator', ...kind, variant },
      join(temporary.path, variant),
    );
    await run(variant, 'manifests');
    for (const words of additions) await run(variant, 'add', ...words, '--yes');
  }
});

afterAll(() => temporary[Symbol.asyncDispose]());

test('keelson add gives code that compiles in every template', async () => {
  expect(await compileProjects(temporary.path, names)).toBe('');
});

describe.each(names)('keelson add in the template %s', (variant) => {
  test('gives code without warnings, tests that pass, and files that are up to date', async () => {
    const folder = join(temporary.path, variant);
    await runInProject(folder, linter, '--deny-warnings', 'src');
    await run(variant, 'crd', 'generate', '--check');
    await run(variant, 'manifests', '--check');
    const tests = await runInProject(folder, '--test');
    expect(tests).toMatch(/\bfail 0\n/);
    expect(tests).toContain('the controller invoice reports that an object is ready');
    const command = ['node', '--conditions=@keelson/source', '--test', 'src/operator.test.ts'];
    expect(await run(variant, 'rbac', '--check', '--', ...command)).toContain('is up to date');

    for (const words of additions.slice(0, 2)) {
      expect(await run(variant, 'add', ...words, '--check')).toMatch(
        /Nothing to add: the project has /,
      );
    }
  });
});
