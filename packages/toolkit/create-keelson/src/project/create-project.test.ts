import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Choices } from '../choices/choices.ts';
import { variants, type Variant } from '../template/variant.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { createProject } from './create-project.ts';
import { writeProject } from './write-project.ts';

const choices: Choices = {
  name: 'order-operator',
  group: 'sales.example',
  kind: 'PurchaseOrder',
  plural: 'purchaseorders',
  variant: 'plain',
};

let temporary: TemporaryFolder;
let folder: string;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
  folder = join(temporary.path, 'order-operator');
});

afterEach(() => temporary[Symbol.asyncDispose]());

const common = [
  '.create-keelson.json',
  '.dockerignore',
  '.github/workflows/ci.yaml',
  '.gitignore',
  'Dockerfile',
  'README.md',
  'config/crd/purchaseorders.sales.example.yaml',
  'config/role.yaml',
  'package.json',
  'src/main.ts',
  'src/operator.test.ts',
  'src/operator.ts',
  'src/purchaseorder.ts',
  'tsconfig.json',
];

const own: Readonly<Record<Variant, readonly string[]>> = {
  plain: [],
  webhook: ['src/webhook.ts'],
  external: ['src/bucket-store.ts'],
  dynamic: [],
};

async function textsOf(files: readonly string[]): Promise<string[]> {
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
}

describe.each(Object.keys(variants) as Variant[])('a project of the variant %s', (variant) => {
  test('has these files, and no name of the template', async () => {
    const { files } = await createProject({ ...choices, variant }, folder);
    expect(files).toEqual([...common, ...own[variant]].toSorted());
    expect(files.length).toBeLessThanOrEqual(15);
    const texts = await textsOf(files);
    expect(
      files.filter((_file, index) => /website|shop\.example/i.test(texts[index] ?? '')),
    ).toEqual([]);
  });

  test('has the settings of the commands', async () => {
    await createProject({ ...choices, variant }, folder);
    const [text = ''] = await textsOf(['package.json']);
    const webhook = { port: 9443, modules: ['src/webhook.ts'] };
    expect(JSON.parse(text)).toMatchObject({
      name: 'order-operator',
      dependencies: { '@keelson/manager': '^0.1.0' },
      keelson: { kinds: ['src/purchaseorder.ts'], ...(variant === 'webhook' && { webhook }) },
    });
  });
});

describe('createProject', () => {
  test.each(['missing', 'empty', 'a repository'])(
    'writes into a folder that is %s',
    async (state) => {
      if (state !== 'missing') await mkdir(folder);
      if (state === 'a repository') await mkdir(join(folder, '.git'));
      await createProject(choices, folder);
      expect(await readdir(folder)).toContain('package.json');
    },
  );

  test('refuses a folder with files, and changes nothing', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expect(createProject(choices, folder)).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
      facts: { folder, found: 'notes.txt' },
    });
    expect(await readdir(folder)).toEqual(['notes.txt']);
  });

  test('refuses a path that is a file', async () => {
    await writeFile(folder, 'mine');
    await expect(createProject(choices, folder)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readFile(folder, 'utf8')).toBe('mine');
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? test : test.skip)('ends if the folder cannot be created', async () => {
    const creating = createProject(choices, '/proc/order-operator');
    await expect(creating).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  });

  test('checks the choices first', async () => {
    await expect(createProject({ ...choices, kind: 'website' }, folder)).rejects.toMatchObject({
      code: 'CHOICE_INVALID',
      facts: { choice: 'kind', value: 'website' },
    });
    expect(await readdir(temporary.path)).toEqual(['node_modules']);
  });
});

describe('a write that fails', () => {
  const broken = new Map([
    ['a/b/c.txt', ''],
    ['d.txt', ''],
    ['d.txt/e.txt', ''], // d.txt is a file
  ]);

  test('removes the new folder with its parents', async () => {
    const deep = join(folder, 'one', 'two');
    await expect(writeProject(deep, broken)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readdir(temporary.path)).toEqual(['node_modules']);
  });

  test('leaves an empty folder empty', async () => {
    await mkdir(join(folder, '.git'), { recursive: true });
    await expect(writeProject(folder, broken)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readdir(folder)).toEqual(['.git']);
  });
});
