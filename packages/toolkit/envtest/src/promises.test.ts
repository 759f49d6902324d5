import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { fakeAssets, versioned } from './control-plane/fake-assets.test-support.ts';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from './index.ts';
import { useEnvironment } from './testing/scenario.test-support.ts';

/** Child processes start slowly on a busy machine. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-promises-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function programArgs(name: string): string[] {
  return ['--conditions=@keelson/source', fileURLToPath(new URL(name, import.meta.url))];
}

describe('envtest', () => {
  test('The same test runs against every kind of environment.', async () => {
    await using memory = await createTestEnvironment({ use: 'memory' });
    const seen = await useEnvironment(memory, { users: true });
    expect(seen).toEqual(['created one', 'bob is forbidden']);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, memory.admin.kubeconfig);
    // In a separate process: client-node reads the kubeconfig, and Jest never frees client-node.
    const args = [...programArgs('testing/use-kubeconfig.test-support.ts'), kubeconfig];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual(['created one', 'USERS_NOT_SUPPORTED']);
  });

  test("Without binaries an operator's tests run in memory.", async () => {
    await using environment = await createTestEnvironment({ env: {} });
    expect(environment.kind).toBe('memory');
  });

  test('The smallest roles of a user follow from the requests that it sent to the server in memory.', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const { cluster } = await environment.addUser({ name: 'vera', groups: ['system:masters'] });
    await using vera = createClient({ cluster });
    await vera.get(builtin.Namespace, { name: 'default' });
    const { clusterRoles, roles } = await environment.observedRules('vera');
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
    expect(clusterRoles).toMatchObject([{ metadata: { name: 'vera' }, rules }]);
    expect(roles).toEqual([]);
  });

  test('With virtual time a test alone decides when time passes, for everything of Keelson in it.', async () => {
    await using environment = await createTestEnvironment({ time: 'virtual' });
    await using client = createClient({ cluster: environment.admin.cluster });
    await environment.controls?.pause('kube-apiserver');
    const name = { name: 'default' };
    const read = client.get(builtin.Namespace, name, { timeout: '1h' }).catch((error: unknown) => {
      return error;
    });
    const start = environment.clock.now();
    await environment.advance('59m');
    await environment.controls?.resume('kube-apiserver');
    expect(await read).toMatchObject({ metadata: name });
    expect(environment.clock.now() - start).toBe(59 * 60_000);
  });

  test('Processes that envtest started end with the test process, even if it is killed.', async () => {
    const args = programArgs('supervisor/supervised-sleep.test-support.ts');
    const parent = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const started = JSON.parse(line) as { pid: number; folder: string };
    expect(process.kill(started.pid, 0)).toBe(true);
    // Kills the whole process group, as a test runner does with a process that hangs.
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
    // The supervisor has inherited this pipe, so the pipe closes when the supervisor has ended.
    await once(parent, 'close');
    expect(() => process.kill(started.pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
    expect(existsSync(started.folder)).toBe(false);
  });

  test('The error of a control plane that does not start shows what its processes printed.', async () => {
    const assets = await fakeAssets({
      etcd: 'echo "no space left on device" >&2; exit 3',
      'kube-apiserver': versioned('v1.36.3', 'exec sleep 60'),
    });
    await expect(createTestEnvironment({ assets })).rejects.toThrow('no space left on device');
    await rm(assets, { recursive: true });
  });
});
