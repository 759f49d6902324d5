import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeAssets } from './write-assets.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-assets-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('writeAssets', () => {
  test('replaces stand-ins', async () => {
    await writeAssets(folder, ['node', 'old.js']);
    await writeAssets(folder, ['node', 'new.js']);
    expect((await readdir(folder)).toSorted()).toEqual(['etcd', 'kube-apiserver']);
    expect(await readFile(join(folder, 'etcd'), 'utf8')).toContain('new.js');
  });

  test.each(['kube-apiserver', 'etcd'])('replaces no real %s, and writes nothing', async (name) => {
    await writeFile(join(folder, name), '\u007fELF');
    await expect(writeAssets(folder, ['node', 'bin.js'])).rejects.toThrow('is not a stand-in');
    expect(await readdir(folder)).toEqual([name]);
    expect(await readFile(join(folder, name), 'utf8')).toBe('\u007fELF');
  });

  const isLinux = process.platform === 'linux';
  (isLinux ? test : test.skip)('ends where the file system refuses new folders', async () => {
    await expect(writeAssets('/proc/x', ['node'])).rejects.toMatchObject({ syscall: 'mkdir' });
  });
});
