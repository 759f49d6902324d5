import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { podEnvironment, writeServiceAccount } from './pod.ts';

/** Starts an operator without options, as in a Pod, and prints every module that was loaded until its controller has synced. */
const program = `
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
const { builtin, createLogger, createManager } = await import('@keelson/manager');
const manager = createManager({ logger: createLogger({ level: 'error' }), servers: { metrics: 0, health: 0 } });
manager.addController({ name: 'settings', for: builtin.ConfigMap, reconcile() {} });
const running = manager.start();
await Promise.race([manager.started, running]);
const { length } = manager.cache.list(builtin.ConfigMap);
const { namespace } = await (await import('@keelson/manager')).loadCluster();
await manager.stop();
await running;
console.log(JSON.stringify({ loaded, length, namespace }));
`;

interface Printed {
  readonly loaded: readonly string[];
  readonly length: number;
  readonly namespace: string;
}

describe('an operator inside a cluster', () => {
  let folder: string;
  let server: ApiServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-pod-'));
    server = await createApiServer({ tls: true });
    server.seed([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'settings' } },
    ]);
    const { token, tls } = server.cluster;
    await writeServiceAccount(folder, { token, ca: String(tls?.ca), namespace: 'team' });
  });

  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true });
  });

  test('reads its service account and does not load client-node', async () => {
    const preload = new URL('enter-pod.ts', import.meta.url).href;
    const args = ['--conditions=@keelson/source', '--import', preload, '--input-type=module'];
    const env = {
      ...process.env,
      ...podEnvironment({ server: server.url, folder }),
      KEELSON_SERVICE_ACCOUNT: folder,
    };
    const options = { cwd: import.meta.dirname, env };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...args, '--eval', program],
      options,
    );
    const { loaded, length, namespace } = JSON.parse(stdout) as Printed;
    expect({ length, namespace }).toEqual({ length: 1, namespace: 'team' });
    const undici = loaded.filter((url) => url.includes('node_modules/undici/'));
    expect(undici).not.toEqual([]);
    expect(loaded.filter((url) => url.includes('@kubernetes/'))).toEqual([]);
    // Nor the main module of undici, which loads fetch and WebSocket.
    expect(undici.filter((url) => url.endsWith('/undici/index.js'))).toEqual([]);
  });
});
