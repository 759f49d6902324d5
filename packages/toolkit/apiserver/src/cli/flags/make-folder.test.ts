import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-folder-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  test('creates the missing folders, also at the same time as another call', async () => {
    const path = join(folder, 'a/b/c');
    await Promise.all([makeFolder(path, { mode: 0o700 }), makeFolder(path, { mode: 0o700 })]);
    await makeFolder(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test('accepts parents that other calls make between two steps', async () => {
    for (let round = 0; round < 20; round++) {
      const path = join(folder, `${round}/a/b/c/d`);
      await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)));
      expect((await stat(path)).isDirectory()).toBe(true);
    }
  });

  test('accepts a link to a folder, and refuses one that leads nowhere', async () => {
    await symlink(folder, join(folder, 'link'));
    await makeFolder(join(folder, 'link/a'));
    await symlink(join(folder, 'missing'), join(folder, 'broken'));
    await expect(makeFolder(join(folder, 'broken/a'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test.each(['file', 'file/a', 'file/a/b'])('refuses a path through a file: %s', async (path) => {
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolder(join(folder, path))).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:EEXIST|ENOTDIR)$/),
    });
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? test : test.skip).each(['/proc/x', '/proc/x/y/z', '/proc/self/x', '/dev/null/x'])(
    'ends where the file system refuses new folders: %s',
    async (path) => {
      await expect(makeFolder(path)).rejects.toMatchObject({ syscall: 'mkdir' });
    },
  );
});
