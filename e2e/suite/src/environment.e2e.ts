import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { builtin, isForbidden } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { chosenEnvironment } from './chosen-environment.ts';
import { openCache } from './open-cache.ts';
import { errorOf } from './error-of.ts';
import { openSuite, skippedFor, testWithControls } from './suite.ts';
import { reachesState } from './reaches-state.ts';

const suite = openSuite();
const testWithBinaries =
  chosenEnvironment().options.use === 'binaries' ? test : skippedFor('there are no processes');

describe('a test environment', () => {
  testWithControls('an added user has only the permissions that RBAC grants', async () => {
    const namespace = await suite.namespace();
    const vera = await suite.addUser({ name: 'vera', groups: ['viewers'] });
    await using opened = openCache(vera.cluster);
    const query = { resource: builtin.ConfigMap, namespace };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    await reachesState(handle, 'forbidden');
    const apiGroup = 'rbac.authorization.k8s.io';
    await suite.client.create(builtin.RoleBinding, {
      metadata: { namespace, name: 'viewers' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup, kind: 'Group', name: 'viewers' }],
    });
    await reachesState(handle, 'live');
    const metadata = { namespace, name: 'mine' };
    const write = opened.client.create(builtin.ConfigMap, { metadata });
    expect(isForbidden(await errorOf(write))).toBe(true);
    const secrets = opened.client.list(builtin.Secret, { namespace });
    expect(isForbidden(await errorOf(secrets))).toBe(true);
  });

  testWithBinaries('feature gates are passed to the API server', async () => {
    const gate = 'ConcurrentWatchObjectDecode';
    const enabled = async (featureGates: Record<string, boolean>): Promise<string | undefined> => {
      await using environment = await createTestEnvironment({ use: 'binaries', featureGates });
      await using client = createClient({ cluster: environment.admin.cluster });
      const { body } = await client.request({ path: '/metrics' });
      return new RegExp(`kubernetes_feature_enabled\\{name="${gate}",[^}]*\\} (\\d)`).exec(
        body,
      )?.[1];
    };
    expect(await enabled({ [gate]: true })).toBe('1');
    expect(await enabled({ [gate]: false })).toBe('0');
  });

  testWithBinaries('a killed test process leaves no server and no folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-killed-'));
    suite.defer(() => rm(folder, { recursive: true }));
    const program = fileURLToPath(new URL('killed-environment.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@keelson/source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    const [server] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^keelson-envtest-/)]);
    child.kill('SIGKILL');
    // The clean-up process inherits this pipe, so the pipe closes when that process has ended.
    await once(child, 'close');
    expect(await readdir(folder)).toEqual([]);
    await using client = createClient({ cluster: { server }, retry: false });
    expect(await errorOf(client.request({ path: '/readyz' }))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
  });
});
