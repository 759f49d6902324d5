import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ControlPlane } from './control-plane.ts';
import { resolveOptions, type TestEnvironmentOptions } from '../environment/environment-options.ts';
import { fakeAssets, fakePrograms, versioned } from './fake-assets.test-support.ts';

/** Child processes start slowly on a busy machine. */
const folders: string[] = [];

async function assets(scripts: Parameters<typeof fakeAssets>[0]): Promise<string> {
  const folder = await fakeAssets(scripts);
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** Resolves when a file exists in a folder. */
async function created(folder: string, name: string): Promise<void> {
  const changes = watch(folder);
  while (!existsSync(join(folder, name))) await once(changes, 'change');
  changes.close();
}

function start(options: TestEnvironmentOptions): Promise<ControlPlane> {
  return ControlPlane.create(resolveOptions({ env: {}, use: 'binaries', ...options }));
}

/** A script that prints its flags, which name the data folder, and then waits until it is killed. */
const printFlagsAndWait = 'echo "$@"; exec sleep 60';

describe('a control plane that does not start', () => {
  test('reports the process that ended and its output', async () => {
    const folder = await assets({
      etcd: 'echo "etcd: no space left on device" >&2; exit 3',
      'kube-apiserver': versioned('v1.36.3', printFlagsAndWait),
    });
    await expect(start({ assets: folder })).rejects.toMatchObject({
      code: 'START_FAILED',
      facts: { process: 'etcd', reason: 'code 3' },
      message: expect.stringContaining('no space left on device'),
    });
  });

  test('prints the output of the process that ended first', async () => {
    const folder = await assets({
      etcd: printFlagsAndWait,
      'kube-apiserver': versioned('v1.36.3', 'echo "unknown flag"; exit 1'),
    });
    await expect(start({ assets: folder })).rejects.toMatchObject({
      facts: { process: 'kube-apiserver', logs: expect.stringMatching(/^\n--- kube-apiserver\n/) },
    });
  });

  test('kills the other processes at once if one ends, also those that ignore SIGTERM', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      require('node:fs').writeFileSync(process.argv[1], '')`;
    const folder = await assets({
      etcd: 'while [ ! -f "$(dirname "$0")/up" ]; do sleep 0.05; done; exit 3',
      'kube-apiserver': versioned(
        'v1.36.3',
        `exec "${process.execPath}" -e "${stubborn}" "$(dirname "$0")/up"`,
      ),
    });
    await expect(start({ assets: folder, stopTimeout: '90s' })).rejects.toMatchObject({
      code: 'START_FAILED',
      facts: { process: 'etcd' },
    });
  });

  test('ends its processes and removes their folder if the start times out', async () => {
    const folder = await assets({
      etcd: 'echo "$@"; touch "$(dirname "$0")/printed"; exec sleep 60',
      'kube-apiserver': versioned('v1.36.3', 'echo $$ > "$(dirname "$0")/pid"; exec sleep 60'),
    });
    const clock = jest.spyOn(performance, 'now');
    const started = start({ assets: folder, startTimeout: '1h' }).catch((error: unknown) => error);
    await Promise.all(['printed', 'pid'].map((name) => created(folder, name)));
    clock.mockReturnValue(performance.now() + 3_600_000);
    const failure = (await started) as { code: string; facts: { logs: string } };
    clock.mockRestore();
    expect(failure.code).toBe('START_TIMEOUT');
    const data = /--data-dir=(\S+)/.exec(failure.facts.logs)?.[1] ?? '';
    expect(data).toMatch(/keelson-envtest-/);
    expect(existsSync(join(data, '..'))).toBe(false);
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });

  test('reports a port that is in use before a process starts', async () => {
    const folder = await assets({
      etcd: printFlagsAndWait,
      'kube-apiserver': versioned('v1.36.3', printFlagsAndWait),
    });
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(start({ assets: folder, port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      facts: { port },
    });
    taken.close();
    await once(taken, 'close');
  });

  test('retries with other ports if another process takes a port before its process listens', async () => {
    const programs = await fakePrograms();
    folders.push(programs);
    const etcd = join(programs, 'etcd');
    const mark = join(programs, 'started-once');
    const failOnce = `[ -e ${mark} ] || { touch ${mark}; echo 'bind: address already in use' >&2; exit 1; }`;
    const script = await readFile(etcd, 'utf8');
    await writeFile(etcd, script.replace('\n', `\n${failOnce}\n`));
    const plane = await start({ assets: programs });
    expect(existsSync(mark)).toBe(true);
    await plane.end();
  });

  test('passes additional flags to kube-apiserver after its own flags', async () => {
    const programs = await fakePrograms();
    folders.push(programs);
    const server = join(programs, 'kube-apiserver');
    const script = await readFile(server, 'utf8');
    await writeFile(server, script.replace('\n', '\necho "$@"\n'));
    const flag = '--allow-privileged=false';
    const plane = await start({ assets: programs, apiServerFlags: [flag] });
    expect(plane.logs()['kube-apiserver']).toMatch(
      /--allow-privileged=true.*--allow-privileged=false/,
    );
    await plane.end();
  });
});
