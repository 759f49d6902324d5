import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const run = promisify(execFile);
const program = fileURLToPath(new URL('bin.ts', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keelson's "));
});

afterEach(() => rm(folder, { recursive: true }));

const node = (...words: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, ['--conditions=@keelson/source', ...words]);

/** Starts a program, waits until it listens, and ends it as envtest does. */
async function listenAndEnd(file: string, ...words: string[]): Promise<unknown> {
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(line.toString()).toMatch(/^listening on https:/);
  child.kill('SIGTERM');
  return exit;
}

describe('keelson-apiserver assets', () => {
  test('writes programs that start and end as those of envtest, also through a link and into a folder with a quote', async () => {
    const link = join(folder, 'link');
    await symlink(program, link);
    const { stdout } = await node(link, 'assets', join(folder, 'assets'));
    const assets = stdout.trim();
    expect((await readdir(assets)).toSorted()).toEqual(['etcd', 'kube-apiserver']);
    const { stdout: help } = await run(join(assets, 'kube-apiserver'), ['--help']);
    expect(help).toMatch(/^ *--secure-port/m);
    expect((await run(join(assets, 'etcd'), ['--help'])).stdout).toContain('--listen-client-urls');
    const words = ['--secure-port=0', `--cert-dir=${join(folder, 'certificates')}`];
    expect(await listenAndEnd(join(assets, 'kube-apiserver'), ...words)).toEqual([0, null]);
  });

  test.each([
    [['assets', 'a', 'b'], 'assets takes one folder'],
    [['assets', ''], 'assets takes one folder'],
    [['stand-in', 'kubelet'], 'there is no stand-in for kubelet'],
    [['stand-in', 'etcd'], '--listen-client-urls takes a list of URLs'],
  ])('rejects %j', async (words, message) => {
    await expect(node(program, ...words)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
