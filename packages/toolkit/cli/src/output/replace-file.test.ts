import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { replaceFile } from './replace-file.ts';

describe('replaceFile', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-replace-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  test('replaces the text, keeps the permissions and leaves no other file', async () => {
    const file = join(folder, 'a.yaml');
    await writeFile(file, 'old');
    await chmod(file, 0o640);
    await replaceFile(file, 'new');
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(['a.yaml']);
  });

  test('never changes the present file in place: an open reader sees the old text', async () => {
    const file = join(folder, 'a.yaml');
    await writeFile(file, 'old');
    const { ino } = await stat(file);
    await replaceFile(file, 'new');
    expect((await stat(file)).ino).not.toBe(ino);
  });

  test('writes through a link to a file, and replaces a link to a missing one', async () => {
    await mkdir(join(folder, 'elsewhere'));
    const target = join(folder, 'elsewhere/a.yaml');
    await symlink(target, join(folder, 'link.yaml'));
    await replaceFile(join(folder, 'link.yaml'), 'one');
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
    await writeFile(target, 'old');
    await symlink(target, join(folder, 'second.yaml'));
    await replaceFile(join(folder, 'second.yaml'), 'two');
    expect(await readFile(target, 'utf8')).toBe('two');
  });

  test('leaves nothing behind when it fails', async () => {
    await mkdir(join(folder, 'a.yaml'));
    await expect(replaceFile(join(folder, 'a.yaml'), 'text')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['a.yaml']);
  });
});
