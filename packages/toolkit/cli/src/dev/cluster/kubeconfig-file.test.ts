import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { KubeconfigFile } from './kubeconfig-file.ts';

describe('KubeconfigFile', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  test('has one path for each project, and is readable by its owner only', async () => {
    const place = join(folder, 'node_modules/.cache/keelson/dev');
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'kubeconfig'), 'old', { mode: 0o666 });
    await using file = await KubeconfigFile.write(folder, 'new');
    expect(file.path).toBe(join(place, 'kubeconfig'));
    expect(await readFile(file.path, 'utf8')).toBe('new');
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(await readdir(place)).toEqual(['kubeconfig']);
  });

  test('is removed, but not if another session has replaced it', async () => {
    await mkdir(join(folder, 'node_modules'));
    const first = await KubeconfigFile.write(folder, 'first');
    const second = await KubeconfigFile.write(folder, 'second');
    await first[Symbol.asyncDispose]();
    expect(await readFile(second.path, 'utf8')).toBe('second');
    await second[Symbol.asyncDispose]();
    expect(existsSync(second.path)).toBe(false);
  });

  test.each(['http', 'https'])(
    'of a session whose %s server responds stays, and the new one has another path',
    async (scheme) => {
      await mkdir(join(folder, 'node_modules'));
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const text = JSON.stringify({ server: `${scheme}://127.0.0.1:${port}` });
      const [one, other] = await Promise.all([
        KubeconfigFile.write(folder, text),
        KubeconfigFile.write(folder, text),
      ]);
      expect(one.path).not.toBe(other.path);
      await other[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
      expect([one.path, other.path].filter((path) => existsSync(path))).toEqual([]);
      await KubeconfigFile.write(folder, text);
      server.close();
      await once(server, 'close');
      const next = await KubeconfigFile.write(folder, text);
      expect(next.path).toContain('node_modules');
    },
  );

  test('is in a folder for temporary files if the project has no node_modules', async () => {
    const file = await KubeconfigFile.write(folder, 'text');
    expect(await readdir(folder)).toEqual([]);
    expect((await stat(dirname(file.path))).mode & 0o777).toBe(0o700);
    await file[Symbol.asyncDispose]();
    expect(existsSync(dirname(file.path))).toBe(false);
  });
});
