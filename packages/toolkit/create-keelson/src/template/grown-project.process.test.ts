import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject } from '../project/create-project.ts';
import { runInProject } from '../testing/run-in-project.test-support.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { variants, type Variant } from './variant.ts';

const packages = fileURLToPath(new URL('../../../..', import.meta.url));
const compiler = join(packages, '../node_modules/typescript/bin/tsc');
const linter = join(packages, '../node_modules/oxlint/bin/oxlint');
const keelson = join(packages, 'toolkit/cli/src/program/bin.ts');

const additions: readonly (readonly string[])[] = [
  ['kind', 'Invoice'],
  ['webhook', 'Invoice'],
  ['webhook', 'Order', '--mutate'],
  ['policy', 'Invoice'],
];

let temporary: TemporaryFolder;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
});

afterEach(() => temporary[Symbol.asyncDispose]());

describe.each(Object.keys(variants) as Variant[])('keelson add in the template %s', (variant) => {
  test('gives code that compiles, tests that pass, and files that are up to date', async () => {
    const folder = join(temporary.path, 'order-operator');
    const names = { group: 'sales.example', kind: 'Order', plural: 'orders' };
    await createProject({ name: 'order-operator', ...names, variant }, folder);
    const run = (...words: readonly string[]): Promise<string> =>
      runInProject(folder, keelson, ...words);
    await run('manifests');

    for (const words of additions) await run('add', ...words, '--yes');

    expect(await runInProject(folder, compiler, '--customConditions', '@keelson/source')).toBe('');
    await runInProject(folder, linter, '--deny-warnings', 'src');
    await run('crd', 'generate', '--check');
    await run('manifests', '--check');
    const tests = await runInProject(folder, '--test');
    expect(tests).toMatch(/\bfail 0\n/);
    expect(tests).toContain('the controller invoice reports that an object is ready');
    const command = ['node', '--conditions=@keelson/source', '--test', 'src/operator.test.ts'];
    expect(await run('rbac', '--check', '--', ...command)).toContain('is up to date');

    for (const words of additions.slice(0, 2)) {
      expect(await run('add', ...words, '--check')).toMatch(/Nothing to add: the project has /);
    }
  });
});
