import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeChanges } from './write-changes.ts';

describe('writeChanges', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-changes-'));
    await writeFile(join(folder, 'old.ts'), 'old');
    await chmod(join(folder, 'old.ts'), 0o640);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const changes = [
    { path: 'old.ts', before: 'old', after: 'new' },
    { path: 'src/a.ts', before: undefined, after: 'a' },
    { path: 'crd/b.yaml', before: undefined, after: 'b' },
  ];

  test('writes all files', async () => {
    await writeChanges(folder, changes);
    expect(await readFile(join(folder, 'old.ts'), 'utf8')).toBe('new');
    expect(await readFile(join(folder, 'crd/b.yaml'), 'utf8')).toBe('b');
  });

  test('restores the files that it has written if a later one cannot be written', async () => {
    await mkdir(join(folder, 'crd/b.yaml'), { recursive: true });
    await expect(writeChanges(folder, changes)).rejects.toMatchObject({
      code: 'OUTPUT_FAILED',
      facts: { file: join(folder, 'crd/b.yaml') },
    });
    expect(await readFile(join(folder, 'old.ts'), 'utf8')).toBe('old');
    expect((await stat(join(folder, 'old.ts'))).mode & 0o777).toBe(0o640);
    expect(await readdir(join(folder, 'src'))).toEqual([]);
    expect(await readdir(join(folder, 'crd'))).toEqual(['b.yaml']);
  });

  test('writes nothing if a file has changed meanwhile', async () => {
    await writeFile(join(folder, 'old.ts'), 'other');
    await expect(writeChanges(folder, changes)).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(await readdir(folder)).toEqual(['old.ts']);
  });
});
