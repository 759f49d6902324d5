import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolder } from './make-folder.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-folder-'));
});

afterEach(() => rm(root, { recursive: true }));

describe('makeFolder', () => {
  test('creates a folder and two above it, also if they exist', async () => {
    const path = join(root, 'a', 'b', 'c');
    await makeFolder(path);
    await makeFolder(path);
    expect(await readdir(join(root, 'a', 'b'))).toEqual(['c']);
  });

  test('refuses further missing folders, and a file in the way', async () => {
    await expect(makeFolder(join(root, 'a', 'b', 'c', 'd'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await writeFile(join(root, 'file'), '');
    await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readdir(root)).toEqual(['file']);
  });
});
