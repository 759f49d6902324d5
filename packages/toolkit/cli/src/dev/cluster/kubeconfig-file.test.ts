import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findSessionKubeconfig, KubeconfigFile } from './kubeconfig-file.ts';

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

  test('is found again in a project without node_modules of its own, as in a workspace', async () => {
    const { text, close } = await servedText();
    expect(await findSessionKubeconfig(folder)).toBeUndefined();
    const file = await KubeconfigFile.write(folder, text);
    expect(await findSessionKubeconfig(folder)).toBe(file.path);
    await close();
    // Of a session that was killed.
    expect(await findSessionKubeconfig(folder)).toBeUndefined();
    await file[Symbol.asyncDispose]();
  });

  test('of a second session is found after the end of the first one', async () => {
    const one = await servedText();
    const other = await servedText();
    const first = await KubeconfigFile.write(folder, one.text);
    const second = await KubeconfigFile.write(folder, other.text);
    expect(await findSessionKubeconfig(folder)).toBe(first.path);
    await first[Symbol.asyncDispose]();
    expect(await findSessionKubeconfig(folder)).toBe(second.path);
    await second[Symbol.asyncDispose]();
    expect(existsSync(second.path)).toBe(false);
    await Promise.all([one.close(), other.close()]);
  });

  test('is in a folder for temporary files if the project can have no node_modules', async () => {
    await writeFile(join(folder, 'node_modules'), '');
    const file = await KubeconfigFile.write(folder, 'text');
    expect(file.path).not.toContain('node_modules');
    expect((await stat(dirname(file.path))).mode & 0o777).toBe(0o700);
    await file[Symbol.asyncDispose]();
    expect(existsSync(dirname(file.path))).toBe(false);
  });
});

/** A kubeconfig of a server that accepts connections. */
async function servedText(): Promise<{ text: string; close: () => Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { text: JSON.stringify({ server: `https://127.0.0.1:${port}` }), close };
}
