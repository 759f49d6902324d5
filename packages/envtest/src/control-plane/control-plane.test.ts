import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ControlPlane } from './control-plane.ts';
import { resolveOptions, type TestEnvironmentOptions } from '../environment/environment-options.ts';
import { fakeAssets, fakePrograms, versioned } from './fake-assets.test-support.ts';

/** Processes of their own take long to start on a busy machine. */
jest.setTimeout(60_000);

const folders: string[] = [];

async function assets(scripts: Parameters<typeof fakeAssets>[0]): Promise<string> {
  const folder = await fakeAssets(scripts);
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

function start(options: TestEnvironmentOptions): Promise<ControlPlane> {
  return ControlPlane.create(resolveOptions({ env: {}, use: 'binaries', ...options }));
}

/** Says where it was told to keep its data, then waits to be ended. */
const waits = 'echo "$@"; exec sleep 60';

describe('a control plane that does not start', () => {
  test('a process that ends is named, with what it printed', async () => {
    const folder = await assets({
      etcd: 'echo "etcd: no space left on device" >&2; exit 3',
      'kube-apiserver': versioned('v1.36.3', waits),
    });
    await expect(start({ assets: folder })).rejects.toMatchObject({
      code: 'START_FAILED',
      facts: { process: 'etcd', reason: 'code 3' },
      message: expect.stringContaining('no space left on device'),
    });
  });

  test('what the process that ended has printed comes first', async () => {
    const folder = await assets({
      etcd: waits,
      'kube-apiserver': versioned('v1.36.3', 'echo "unknown flag"; exit 1'),
    });
    await expect(start({ assets: folder })).rejects.toMatchObject({
      facts: { process: 'kube-apiserver', logs: expect.stringMatching(/^\n--- kube-apiserver\n/) },
    });
  });

  test('what still runs then is not asked to end in good order, which it may not do', async () => {
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

  test('a process that never becomes ready ends with the deadline, and nothing is left', async () => {
    const folder = await assets({
      etcd: waits,
      'kube-apiserver': versioned('v1.36.3', 'echo $$ > "$(dirname "$0")/pid"; exec sleep 60'),
    });
    const failure = (await start({ assets: folder, startTimeout: 300 }).catch(
      (error: unknown) => error,
    )) as { code: string; facts: { logs: string } };
    expect(failure.code).toBe('START_TIMEOUT');
    const data = /--data-dir=(\S+)/.exec(failure.facts.logs)?.[1] ?? '';
    expect(data).toMatch(/keelson-envtest-/);
    expect(existsSync(join(data, '..'))).toBe(false);
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });

  test('a port that is taken is told before anything starts', async () => {
    const folder = await assets({ etcd: waits, 'kube-apiserver': versioned('v1.36.3', waits) });
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

  test('starts on other ports when one is taken before its process listens', async () => {
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

  test('passes further flags to kube-apiserver, after its own', async () => {
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
