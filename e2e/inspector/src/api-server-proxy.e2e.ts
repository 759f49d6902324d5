import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { createLogger, createManager, type Client, type Manager } from '@keelson/manager';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath, openPage } from './browser.test-support.ts';

const executablePath = chromiumPath();
const assets = process.env['KUBEBUILDER_ASSETS'];
/** kube-apiserver connects to no loopback address of a Pod. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const isComplete = [executablePath, assets, address].every((one) => one !== undefined);
const behindApiServer = isComplete ? describe : describe.skip;
if (!isComplete) {
  console.warn(
    'SKIPPED: the inspector behind a kube-apiserver: needs a Chromium, KUBEBUILDER_ASSETS and a network',
  );
}

const { ClusterRole, ClusterRoleBinding, ConfigMap, Pod, ServiceAccount } = builtin;
const bin = join(
  fileURLToPath(import.meta.resolve('@keelson/cli/package.json')),
  '../src/program/bin.ts',
);
const namespace = 'default';
const reader = { namespace, name: 'reader' };
const rbac = 'rbac.authorization.k8s.io';

/** Creates the Pod of the operator at the address of this computer, and a reader who may use its debug server. */
async function createPod(client: Client, ip: string): Promise<void> {
  await client.create(ServiceAccount, { metadata: reader });
  const name = 'operator';
  const containers = [{ name: 'operator', image: 'operator:1' }];
  const spec = { serviceAccountName: 'reader', containers };
  await client.create(Pod, { metadata: { namespace, name }, spec });
  const body = { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } };
  await client.status(Pod).patch({ namespace, name }, { type: 'merge', body });
  const rules = [{ nonResourceURLs: ['/debug/*'], verbs: ['get', 'post'] }];
  await client.create(ClusterRole, { metadata: { name: 'debug-reader' }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'debug-reader' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'debug-reader' },
    subjects: [{ kind: 'ServiceAccount', ...reader }],
  });
}

behindApiServer('the inspector behind the proxy of kube-apiserver', () => {
  let environment: TestEnvironment;
  let manager: Manager;
  let ended: Promise<void>;
  let browser: Browser;
  let folder: string;
  let token: string;
  let inspect: ChildProcess;
  /** The lines of `keelson inspect`. */
  const lines: string[] = [];
  /** The address of the page that it printed. */
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-proxy-'));
    browser = await chromium.launch({ executablePath: executablePath ?? '' });
    environment = await createTestEnvironment({ use: 'binaries', assets: assets ?? '' });
    const debug = {
      port: 0,
      host: address ?? '',
      tls: 'self-signed',
      authentication: true,
    } as const;
    manager = createManager({
      cluster: environment.admin.cluster,
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      gracePeriod: 0,
      servers: { debug: { ...debug, actions: true } },
    });
    manager.addController({ name: 'config', for: ConfigMap, reconcile: () => undefined });
    ended = manager.start();
    await manager.started;
    await createPod(manager.client, address ?? '');
    await manager.client.create(ConfigMap, { metadata: { namespace, name: 'one' } });
    token = (await environment.controls?.issueToken({ ...reader, expiresIn: '1h' })) ?? '';
    await writeFile(join(folder, 'token'), token);
    await writeFile(join(folder, 'kubeconfig'), environment.admin.kubeconfig);
    url = await inspected();
  });

  afterAll(async () => {
    inspect.kill();
    await once(inspect, 'close');
    await browser.close();
    await manager.stop();
    await ended;
    await environment.stop();
    await rm(folder, { recursive: true });
  });

  /** Runs `keelson inspect --proxy --stay`, and resolves to the address of the page. */
  async function inspected(): Promise<string> {
    const words = ['--pod', 'operator', '--namespace', namespace, '--proxy', '--stay'];
    const files = [
      '--token-file',
      join(folder, 'token'),
      '--kubeconfig',
      join(folder, 'kubeconfig'),
    ];
    const program = [
      '--kubectl',
      join(assets ?? '', 'kubectl'),
      '--port',
      `${manager.ports.debug}`,
    ];
    const args = ['--conditions=@keelson/source', bin, 'inspect', ...words, ...files, ...program];
    inspect = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const found = Promise.withResolvers<string>();
    inspect.once('close', () =>
      found.reject(new Error(`keelson inspect ended: ${lines.join('\n')}`)),
    );
    if (inspect.stdout !== null) {
      createInterface(inspect.stdout).on('line', (line) => {
        lines.push(line);
        const place = /^inspector: (\S+)/.exec(line)?.[1];
        if (place !== undefined) found.resolve(place);
      });
    }
    return found.promise;
  }

  test('is printed by keelson inspect', () => {
    expect(url).toContain(
      `/api/v1/namespaces/default/pods/https:operator:${manager.ports.debug}/proxy/`,
    );
    expect(lines.join('\n')).toMatch(/^config +running /m);
  });

  test('shows its stream and its pages, and acts', async () => {
    const { page, problems } = await openPage(browser, `${url}#token=${token}`);
    await page.waitForSelector('.connection.live');
    await page.click('a[href="#/controller/config"]');
    await page.click('a[href="#/request/config/default%2Fone"]');
    await page.click('button:has-text("Run now")');
    await page.waitForSelector('output:has-text("Run: done")');
    await page.waitForSelector('.timeline li:has-text("controller: manual")');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('has no data for a user of the proxy without the token', async () => {
    const data = `${url}/snapshot`;
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(data)).status).toBe(401);
    expect((await fetch(data, { headers: { 'x-keelson-token': 'wrong' } })).status).toBe(401);
    const own = { 'x-keelson-token': token };
    expect((await fetch(data, { headers: own })).status).toBe(200);
    // kubectl proxy refuses the other paths of the API server.
    const other = new URL('/api/v1/namespaces/default/secrets', url);
    expect((await fetch(other, { headers: own })).status).toBe(403);
  });
});
