import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject, updateProject, type Choices, type Variant } from './index.ts';
import { runProgram } from './program/program.ts';
import { hashOf } from './project/record.ts';
import { TemporaryFolder } from './testing/temporary-folder.test-support.ts';

const variants = ['plain', 'webhook', 'external', 'dynamic'] as const satisfies Variant[];
const choices: Choices = {
  name: 'order-operator',
  group: 'sales.example',
  kind: 'Order',
  plural: 'orders',
  variant: 'plain',
};

describe('the promises', () => {
  let temporary: TemporaryFolder;
  let folder: string;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = join(temporary.path, 'order-operator');
  });

  afterEach(() => temporary[Symbol.asyncDispose]());

  test('Every name of the template is replaced by the names of the project.', async () => {
    for (const variant of variants) {
      const project = join(temporary.path, variant);
      const { files } = await createProject({ ...choices, variant }, project);
      const texts = await Promise.all(files.map((file) => readFile(join(project, file), 'utf8')));
      expect(`${files.join('\n')}${texts.join('\n')}`).not.toMatch(/website|shop\.example/i);
    }
  });

  test('An existing file is never overwritten, and an error leaves no file behind.', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), 'mine');
    await expect(createProject(choices, folder)).rejects.toThrow(/FOLDER|not empty/);
    expect(await readdir(folder)).toEqual(['package.json']);
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe('mine');
  });

  test('An invalid choice is refused with its name and the reason.', async () => {
    await expect(createProject({ ...choices, kind: 'order' }, folder)).rejects.toMatchObject({
      code: 'CHOICE_INVALID',
      facts: { choice: 'kind', value: 'order', reason: expect.stringContaining('UpperCamelCase') },
    });
  });

  test('Without a terminal no question is asked, and an error names the missing choices.', async () => {
    const errors: string[] = [];
    const terminal = { print: () => {}, complain: (text: string) => void errors.push(text) };
    expect(await runProgram([folder], { terminal })).toBe(2);
    expect(errors).toEqual([expect.stringContaining('missing=--group --kind')]);
  });

  test('An update replaces only files of the template that the user has not changed, and prints the others as diffs.', async () => {
    await createProject(choices, folder);
    const record = join(folder, '.create-keelson.json');
    const old = hashOf('old\n');
    const files = { Dockerfile: old, 'tsconfig.json': old };
    const { files: present } = JSON.parse(await readFile(record, 'utf8')) as { files: object };
    await writeFile(record, JSON.stringify({ choices, files: { ...present, ...files } }));
    await writeFile(join(folder, 'Dockerfile'), 'old\n');
    await writeFile(join(folder, 'tsconfig.json'), 'mine\n');
    const { written, diffs } = await updateProject(folder);
    expect(written).toEqual(['Dockerfile', '.create-keelson.json']);
    expect(diffs).toEqual([expect.stringContaining('-mine')]);
    expect(await readFile(join(folder, 'tsconfig.json'), 'utf8')).toBe('mine\n');
  });
});
