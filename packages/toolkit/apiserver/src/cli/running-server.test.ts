import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseArguments } from './arguments.ts';
import { RunningServer } from './running-server.ts';

describe('the command keelson-apiserver', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-serve-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const start = (...words: string[]): Promise<RunningServer> =>
    RunningServer.start(parseArguments(['--no-tls', ...words]));

  const modeOf = async (path: string): Promise<string> =>
    ((await stat(path)).mode & 0o777).toString(8);

  async function tokenIn(path: string): Promise<string> {
    return /token: (\S+)/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  }

  test('accepts no request without credentials', async () => {
    await using running = await start('--kubeconfig-out', join(folder, 'kubeconfig'));
    for (const path of ['/healthz', '/version', '/api', '/api/v1/secrets']) {
      expect((await fetch(running.url + path)).status).toBe(401);
    }
    const authorization = `Bearer ${await tokenIn(join(folder, 'kubeconfig'))}`;
    const namespaces = `${running.url}/api/v1/namespaces`;
    expect((await fetch(namespaces, { headers: { authorization } })).status).toBe(200);
    const wrong = { authorization: 'Bearer wrong' };
    expect((await fetch(namespaces, { headers: wrong })).status).toBe(401);
  });

  test('writes the kubeconfig for its owner alone, also over a file that others can read', async () => {
    const path = join(folder, 'kubeconfig');
    await writeFile(path, 'old');
    await chmod(path, 0o644);
    const readerOfOldFile = await readFile(path, 'utf8');
    const before = (await stat(path)).ino;
    await using running = await start('--kubeconfig-out', path);
    expect(running.kubeconfig).toBe(path);
    expect(await modeOf(path)).toBe('600');
    expect(readerOfOldFile).toBe('old');
    // A process that has opened the former file reads no token from it.
    expect((await stat(path)).ino).not.toBe(before);
    expect(await readdir(folder)).toEqual(['kubeconfig']);
  });

  test('replaces the file that a link names, and keeps the link', async () => {
    await writeFile(join(folder, 'target'), '');
    await symlink(join(folder, 'target'), join(folder, 'link'));
    await using running = await start('--kubeconfig-out', join(folder, 'link'));
    expect(await modeOf(join(folder, 'target'))).toBe('600');
    expect(await tokenIn(join(folder, 'target'))).not.toBe('');
    expect(running.kubeconfig).toBe(join(folder, 'link'));
  });

  test('writes to a device', async () => {
    await using running = await start('--kubeconfig-out', '/dev/null');
    expect(running.kubeconfig).toBe('/dev/null');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('writes a kubeconfig into a folder of its own without --kubeconfig-out, and removes both', async () => {
    const running = await start();
    const { kubeconfig = '' } = running;
    expect(await modeOf(kubeconfig)).toBe('600');
    expect(await modeOf(join(kubeconfig, '..'))).toBe('700');
    expect(await tokenIn(kubeconfig)).not.toBe('');
    await running[Symbol.asyncDispose]();
    await expect(stat(join(kubeconfig, '..'))).rejects.toThrow('ENOENT');
  });

  test('writes no kubeconfig without --kubeconfig-out if the users have a token file', async () => {
    const file = join(folder, 'tokens.csv');
    await writeFile(file, 'secret,bob,1,"system:masters"\n');
    await using running = await start('--token-auth-file', file);
    expect(running.kubeconfig).toBeUndefined();
    const headers = { authorization: 'Bearer secret' };
    expect((await fetch(`${running.url}/api`, { headers })).status).toBe(200);
  });

  test('closes the server if the kubeconfig cannot be written', async () => {
    const path = join(folder, 'missing', 'kubeconfig');
    await expect(start('--kubeconfig-out', path)).rejects.toThrow('ENOENT');
    await expect(start('--kubeconfig-out', folder)).rejects.toThrow('EISDIR');
    expect(await readdir(folder)).toEqual([]);
  });

  test('accepts requests without credentials where RBAC decides about them', async () => {
    await using running = await start(
      '--anonymous-auth=true',
      '--authorization-mode=RBAC',
      '--kubeconfig-out',
      join(folder, 'kubeconfig'),
    );
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${running.url}/api/v1/secrets`)).status).toBe(403);
  });
});
