import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ownPrograms } from './binary.ts';
import { ended, FakeGo, printed } from './fake-go.test-support.ts';

describe('the builder', () => {
  test('builds the missing binaries, reports progress, and the next run finds them', async () => {
    await using go = await FakeGo.create();
    await go.write('go-on');
    const first = await go.run('etcd', 'kubectl');
    const cache = await go.cache();
    expect(first).toMatchObject({ code: 0, stdout: `${cache}\n` });
    expect(first.stderr).toMatch(/\[1\/2\] etcd: building[^]*\[2\/2\] kubectl: built in \d+ s/);
    expect((await readdir(cache)).toSorted()).toEqual(['etcd', 'kubectl']);
    expect(await readFile(join(cache, 'etcd'), 'utf8')).toBe('whole');
    expect(await go.run('etcd', 'kubectl')).toEqual({ code: 0, stdout: `${cache}\n`, stderr: '' });
    expect(await go.builds()).toHaveLength(2);
  });

  test.each(ownPrograms)('names %s after its sources', async (program) => {
    await using go = await FakeGo.create();
    await go.write('go-on');
    await go.run(program);
    expect(await readdir(await go.cache())).toEqual([
      expect.stringMatching(new RegExp(`^${program}-[0-9a-f]{12}$`)),
    ]);
  });

  test('builds the kube-apiserver of a former version beside the other pinned binaries', async () => {
    await using go = await FakeGo.create();
    await go.write('go-on');
    const first = await go.run('--kubernetes', '1.35');
    const folder = first.stdout.trim();
    expect(folder).toMatch(/kube-apiserver-v1\.35\.\d+$/);
    expect((await readdir(folder)).toSorted()).toEqual([
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kubectl',
      'module',
    ]);
    expect(await readFile(join(folder, 'etcd'), 'utf8')).toBe('whole');
    expect(await readFile(join(folder, 'module', 'go.mod'), 'utf8')).toMatch(
      /^require k8s\.io\/kubernetes v1\.35\.(\d+)$[^]*k8s\.io\/api => k8s\.io\/api v0\.35\.\1$/m,
    );
    expect(await go.run('--kubernetes', '1.35')).toEqual({
      code: 0,
      stdout: first.stdout,
      stderr: '',
    });
    expect(await go.builds()).toHaveLength(4);
  });

  test.each([
    ['--kubernetes', '1.12'],
    ['--kubernetes', '1.35', 'etcd'],
    ['--kubernets', '1.35'],
    ['etc'],
  ])('refuses %s %s %s', async (...words) => {
    await using go = await FakeGo.create();
    const given = words.filter((word) => word !== undefined);
    expect(await go.run(...given)).toMatchObject({ code: 2, stdout: '' });
    expect(await go.builds()).toEqual([]);
  });

  test('waits for another process that builds, and builds nothing twice', async () => {
    await using go = await FakeGo.create();
    const first = go.start('etcd');
    const firstRun = ended(first);
    await go.began();
    const second = go.start('etcd');
    const secondRun = ended(second);
    await printed(second, 'another process');
    await go.write('go-on');
    expect((await firstRun).code).toBe(0);
    expect((await secondRun).code).toBe(0);
    expect(await go.builds()).toHaveLength(1);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('that gets %s leaves nothing', async (signal) => {
    await using go = await FakeGo.create();
    const child = go.start('etcd');
    const run = ended(child);
    await go.began();
    child.kill(signal);
    expect(await run).toMatchObject({ code: 1, stderr: expect.stringContaining(signal) });
    expect(await readdir(await go.cache())).toEqual([]);
  });

  test('takes nothing for whole that a killed build left', async () => {
    await using go = await FakeGo.create();
    const child = go.start('etcd');
    const run = ended(child);
    await go.began();
    child.kill('SIGKILL');
    await go.write('go-on');
    await run;
    const cache = await go.cache();
    expect(await readdir(cache)).not.toContain('etcd');
    // The lock of a process that lives is touched every two seconds.
    await utimes(join(cache, '.building'), 0, 0);
    expect((await go.run('etcd')).code).toBe(0);
    expect(await readFile(join(cache, 'etcd'), 'utf8')).toBe('whole');
    expect(await readdir(cache)).not.toContain('.building');
  });

  test('removes what was left a day ago', async () => {
    await using go = await FakeGo.create();
    await go.write('go-on');
    await go.run('etcd');
    const cache = await go.cache();
    for (const name of ['kubectl.1.part', 'peers-0123', 'kubectl.2.part']) {
      await writeFile(join(cache, name), '');
    }
    await utimes(join(cache, 'kubectl.1.part'), 0, 0);
    await utimes(join(cache, 'peers-0123'), 0, 0);
    await go.run('kubectl');
    expect((await readdir(cache)).toSorted()).toEqual(['etcd', 'kubectl', 'kubectl.2.part']);
  });

  test('prints the output of go when a build fails, and leaves no binary', async () => {
    await using go = await FakeGo.create();
    await go.write('broken');
    await go.write('go-on');
    const { code, stderr } = await go.run('etcd');
    expect(code).toBe(1);
    expect(stderr).toMatch(/etcd was not built: go build ended with 1\ncannot compile/);
    expect(await readdir(await go.cache())).toEqual([]);
  });

  test('requires a newer Go when this one is too old, but only to build', async () => {
    await using go = await FakeGo.create('1.19.5');
    const { code, stderr } = await go.run('etcd');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /go 1\.\d+(\.\d+)? or newer is needed .* and this is go 1\.19\.5: install/,
    );
    await go.write('version', '1.99.0');
    await go.write('go-on');
    await go.run('etcd');
    await go.write('version', '1.19.5');
    expect((await go.run('etcd')).code).toBe(0);
  });

  test('prints that it is skipped without Go, unless every binary exists', async () => {
    await using go = await FakeGo.create();
    await go.write('go-on');
    await go.run('etcd');
    await rm(join(go.folder, 'bin', 'go'));
    expect((await go.run('etcd')).code).toBe(0);
    expect(await go.run()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('!!! SKIPPED: no Go on this machine'),
    });
  });

  test('refuses what it cannot build', async () => {
    await using go = await FakeGo.create();
    const { code, stderr } = await go.run('kubelet');
    expect(code).toBe(2);
    expect(stderr).toContain('unknown binary kubelet; there are: etcd, kube-apiserver');
  });
});
