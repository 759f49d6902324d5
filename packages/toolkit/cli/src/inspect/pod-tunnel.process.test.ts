import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { forwardPort, proxyPod } from './pod-tunnel.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-forward-'));
});

afterEach(() => rm(folder, { recursive: true }));

/** Writes a program that takes the place of kubectl. */
async function kubectl(script: string): Promise<string> {
  const file = join(folder, 'kubectl');
  await writeFile(file, `#!/bin/sh\necho "$@" > '${folder}/words'\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

const options = { pod: 'web', port: 8082, namespace: 'shop', kubeconfig: 'k', context: undefined };

test('a forwarded port has the address that kubectl prints, and ends with its user', async () => {
  const script = "echo 'Forwarding from 127.0.0.1:4321 -> 8082'; exec sleep 600";
  const forward = await forwardPort({ ...options, kubectl: await kubectl(script) });
  expect(forward.url).toBe('http://127.0.0.1:4321');
  await forward[Symbol.asyncDispose]();
  await forward[Symbol.asyncDispose]();
  expect((await readFile(join(folder, 'words'), 'utf8')).trim()).toBe(
    'port-forward --address=127.0.0.1 --namespace=shop --kubeconfig=k -- web :8082',
  );
});

test('a failed forward has the complaint of kubectl', async () => {
  const program = await kubectl('echo \'pods "web" not found\' >&2; exit 1');
  await expect(forwardPort({ ...options, kubectl: program })).rejects.toMatchObject({
    code: 'PORT_FORWARD_FAILED',
    facts: { pod: 'web', reason: 'pods "web" not found' },
  });
  const missing = join(folder, 'missing');
  await expect(forwardPort({ ...options, kubectl: missing })).rejects.toMatchObject({
    code: 'PORT_FORWARD_FAILED',
  });
});

test('a proxy has the path of the Pod, and accepts no other path', async () => {
  const script = "echo 'Starting to serve on 127.0.0.1:4321'; exec sleep 600";
  const program = await kubectl(script);
  await using proxy = await proxyPod({ ...options, pod: 'web.0', kubectl: program });
  const path = '/api/v1/namespaces/shop/pods/https:web.0:8082/proxy';
  expect(proxy.url).toBe(`http://127.0.0.1:4321${path}`);
  expect((await readFile(join(folder, 'words'), 'utf8')).trim()).toBe(
    String.raw`proxy --address=127.0.0.1 --port=0 --accept-paths=^/api/v1/namespaces/shop/pods/https:web\.0:8082/proxy/ --kubeconfig=k`,
  );
});
