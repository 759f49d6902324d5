import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject } from '../project/create-project.ts';
import { hashOf, RECORD_FILE, type TemplateRecord } from '../project/record.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { updateProject } from './update-project.ts';

let temporary: TemporaryFolder;
let folder: string;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
  folder = join(temporary.path, 'order-operator');
  const names = { group: 'sales.example', kind: 'Order', plural: 'orders' };
  await createProject({ name: 'order-operator', ...names, variant: 'plain' }, folder);
});

afterEach(() => temporary[Symbol.asyncDispose]());

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
const write = (path: string, text: string): Promise<void> => writeFile(join(folder, path), text);

async function changeRecord(change: (record: TemplateRecord) => object): Promise<void> {
  const record = JSON.parse(await read(RECORD_FILE)) as TemplateRecord;
  await write(RECORD_FILE, JSON.stringify(change(record)));
}

/** Makes a file of the project one of an older template, and returns the present text of the template. */
async function makeOlder(path: string, older: string): Promise<string> {
  const present = await read(path);
  await write(path, older);
  await changeRecord((record) => ({
    ...record,
    version: '0.0.9',
    files: { ...record.files, [path]: hashOf(older) },
  }));
  return present;
}

const nothing = { written: [], removed: [], diffs: [] };

describe('an update', () => {
  test('of a new project changes nothing', async () => {
    expect(await updateProject(folder)).toEqual({ from: '0.1.0', to: '0.1.0', ...nothing });
  });

  test('replaces a file that the user has not changed, and records it', async () => {
    const present = await makeOlder('Dockerfile', 'FROM node:20\n');
    const updated = await updateProject(folder);
    expect(updated).toMatchObject({ from: '0.0.9', written: ['Dockerfile', RECORD_FILE] });
    expect(await read('Dockerfile')).toBe(present);
    expect(await updateProject(folder)).toMatchObject({ from: '0.1.0', ...nothing });
  });

  test.each(['bad', 'null', '[]', '{ "dependencies": "a" }'])(
    'writes nothing if package.json is %s',
    async (text) => {
      await makeOlder('Dockerfile', 'FROM node:20\n');
      await write('package.json', text);
      await expect(updateProject(folder)).rejects.toMatchObject({
        code: 'WRITE_FAILED',
        facts: { folder, reason: expect.stringMatching(/^package\.json /) },
      });
      expect(await read('Dockerfile')).toBe('FROM node:20\n');
    },
  );

  test('counts a file whose line ends Git has changed as unchanged', async () => {
    const present = await makeOlder('Dockerfile', 'FROM node:20\nUSER 1\n');
    await write('Dockerfile', 'FROM node:20\r\nUSER 1\r\n');
    await updateProject(folder);
    expect(await read('Dockerfile')).toBe(present);
  });

  test('prints a diff for a file that the user and the template have changed', async () => {
    await makeOlder('Dockerfile', 'FROM node:20\n');
    await write('Dockerfile', 'FROM node:20\nENV MINE=1\n');
    const { written, diffs } = await updateProject(folder);
    expect(written).toEqual([RECORD_FILE]);
    expect(diffs).toEqual([expect.stringMatching(/^-ENV MINE=1$/m)]);
    expect(diffs[0]).toMatch(/^\+FROM .*node:24-slim AS build$/m);
    expect(await read('Dockerfile')).toBe('FROM node:20\nENV MINE=1\n');
    expect(await updateProject(folder)).toMatchObject(nothing);
  });

  test('ignores a file that only the user has changed or removed', async () => {
    await write('Dockerfile', 'mine\n');
    await rm(join(folder, 'tsconfig.json'));
    expect(await updateProject(folder)).toMatchObject(nothing);
  });

  test('adds a new file of the template, and never overwrites one of the user', async () => {
    const withoutHash = (path: string): Promise<void> =>
      changeRecord(({ files: { [path]: _hash, ...files }, ...record }) => ({ ...record, files }));
    await withoutHash('.dockerignore');
    await rm(join(folder, '.dockerignore'));
    await withoutHash('.gitignore');
    await write('.gitignore', 'mine\n');
    const { written, diffs } = await updateProject(folder);
    expect(written).toEqual(['.dockerignore', RECORD_FILE]);
    expect(diffs).toHaveLength(1);
    expect(await read('.gitignore')).toBe('mine\n');
  });

  test('removes a file that the template no longer has, unless the user has changed it', async () => {
    const files = { 'old.txt': hashOf('old\n'), 'mine.txt': hashOf('old\n'), 'gone.txt': '0' };
    await write('old.txt', 'old\n');
    await write('mine.txt', 'mine\n');
    await changeRecord((record) => ({ ...record, files: { ...record.files, ...files } }));
    const { removed, diffs } = await updateProject(folder);
    expect(removed).toEqual(['old.txt']);
    expect(diffs).toEqual([expect.stringContaining('-mine')]);
    expect(await read('mine.txt')).toBe('mine\n');
  });

  test('sets the versions of Keelson in package.json, and keeps everything else', async () => {
    const manifest = JSON.parse(await read('package.json')) as Record<string, object>;
    const older = {
      ...manifest,
      scripts: { test: 'mine' },
      dependencies: { zod: '4.2.0', '@keelson/manager': '^0.0.9', '@keelson/envtest': '0.0.9' },
      devDependencies: { typescript: '5.6.3' },
    };
    await write('package.json', JSON.stringify(older, null, 4));
    expect((await updateProject(folder)).written).toEqual(['package.json']);
    const text = await read('package.json');
    expect(JSON.parse(text)).toEqual({
      ...older,
      dependencies: {
        zod: '4.2.0',
        '@keelson/manager': '^0.1.0',
        '@keelson/envtest': '^0.1.0',
        '@keelson/schema': '^0.1.0',
      },
      devDependencies: { typescript: '5.6.3', '@keelson/cli': '^0.1.0' },
    });
    expect(text).toMatch(/^ {4}"name"/m);
  });

  test('never changes code and configuration of the user', async () => {
    await write('src/operator.ts', 'mine');
    await write('config/role.yaml', 'mine');
    await write('README.md', 'mine');
    expect(await updateProject(folder)).toMatchObject(nothing);
  });

  test.each([
    ['is missing', undefined],
    ['is not JSON', '{'],
    ['has no choices', '{ "version": "0.1.0" }'],
    ['has invalid files', undefined],
  ])('fails if the record %s', async (state, text) => {
    if (state === 'is missing') await rm(join(folder, RECORD_FILE));
    else if (text !== undefined) await write(RECORD_FILE, text);
    else await changeRecord((record) => ({ ...record, files: { Dockerfile: 1 } }));
    await expect(updateProject(folder)).rejects.toMatchObject({ code: 'RECORD_INVALID' });
  });

  test('fails if a path is not below the project', async () => {
    await changeRecord((record) => ({ ...record, files: { '../outside.txt': hashOf('x') } }));
    await writeFile(join(temporary.path, 'outside.txt'), 'x');
    await expect(updateProject(folder)).rejects.toMatchObject({ code: 'RECORD_INVALID' });
  });
});
