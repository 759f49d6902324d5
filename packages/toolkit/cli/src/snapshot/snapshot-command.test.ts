import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

const { ConfigMap, Secret, ValidatingWebhookConfiguration } = builtin;

const definition: KubernetesObject & Readonly<Record<string, unknown>> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'orders.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'orders', kind: 'Order' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
};

const order: KubernetesObject & Readonly<Record<string, unknown>> = {
  apiVersion: 'shop.example/v1',
  kind: 'Order',
  metadata: { namespace: 'shop', name: 'one', labels: { app: 'shop' } },
};

describe('keelson snapshot', () => {
  let folder: string;
  let file: string;
  let kubeconfig: string;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-snapshot-'));
    [file, kubeconfig] = [join(folder, 'cluster.jsonl'), join(folder, 'kubeconfig')];
    server = await createApiServer({ authorizationMode: 'RBAC' });
    await writeFile(kubeconfig, server.kubeconfig());
    client = createClient({ cluster: server.cluster });
    server.seed([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'shop', name: 'password' } },
      definition,
    ]);
    await server.idle();
    server.seed([order]);
  });

  afterEach(async () => {
    await client.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function run(
    ...words: readonly string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const { terminal, out, err } = recordingTerminal();
    const all = ['snapshot', '-o', file, '--kubeconfig', kubeconfig, ...words];
    const code = await runProgram(all, terminal, '1.0.0');
    return { code, out: out(), err: err() };
  }

  /** The objects of the file, as `KIND NAME`. */
  async function written(): Promise<string[]> {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    return lines.slice(1, -1).map((line) => {
      const { kind, metadata } = JSON.parse(line) as { kind: string; metadata: { name: string } };
      return `${kind} ${metadata.name}`;
    });
  }

  test('writes the objects of a cluster, and their resourceVersions stay', async () => {
    // More objects than a page of a list has.
    const names = Array.from({ length: 1100 }, (_, index) => `m${index}`);
    server.seed(
      names.map((name) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop', name },
      })),
    );
    const { code, out, err } = await run();
    expect([code, out]).toEqual([0, expect.stringMatching(/^written .*: \d+ objects/)]);
    expect(err).toContain('configmaps: 1100');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['cluster.jsonl', 'kubeconfig']);
    await using restored = await createApiServer({ restore: file });
    // Its own address is in three objects.
    expect(Number(restored.resourceVersion)).toBe(Number(server.resourceVersion) + 3);
    await restored.idle();
    await using other = createClient({ cluster: restored.cluster });
    const before = await client.list(ConfigMap);
    expect((await other.list(ConfigMap)).items).toEqual(before.items);
    const orders = { group: 'shop.example', version: 'v2', plural: 'orders' };
    expect(restored.object(orders, { namespace: 'shop', name: 'one' })).toEqual(
      server.object(orders, { namespace: 'shop', name: 'one' }),
    );
    expect((await other.list(Secret)).items).toEqual([]);
  });

  test('writes Secrets and webhook configurations only if they are named', async () => {
    await client.create(ValidatingWebhookConfiguration, { metadata: { name: 'hooks' } });
    expect((await run()).code).toBe(0);
    expect(await written()).not.toContain('Secret password');
    expect(await written()).not.toContain('ValidatingWebhookConfiguration hooks');
    expect((await run('--secrets')).code).toBe(0);
    expect(await written()).toContain('Secret password');
    expect((await run('--kinds', 'secrets,validatingwebhookconfigurations')).code).toBe(0);
    expect(await written()).toEqual([
      'Secret password',
      'ValidatingWebhookConfiguration hooks',
      'Namespace shop',
    ]);
  });

  test('selects kinds, namespaces and labels, with namespaces and definitions', async () => {
    expect((await run('--kinds', 'orders', '--selector', 'app=shop')).code).toBe(0);
    expect(await written()).toEqual([
      'Order one',
      'CustomResourceDefinition orders.shop.example',
      'Namespace shop',
    ]);
    expect((await run('-n', 'default', '--kinds', 'orders,cm')).code).toBe(0);
    expect(await written()).toEqual([
      'CustomResourceDefinition orders.shop.example',
      'Namespace default',
    ]);
    const unknown = await run('--kinds', 'nothings');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('RESOURCE_NOT_FOUND')]);
  });

  test('removes references to owners that it leaves out, and keeps others', async () => {
    const metadata = { namespace: 'shop', name: 'owned' };
    const { metadata: one } = await client.get(Secret, { namespace: 'shop', name: 'password' });
    const kept = server.object(
      { group: 'shop.example', version: 'v1', plural: 'orders' },
      { namespace: 'shop', name: 'one' },
    );
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'Secret', name: 'password', uid: one.uid },
      { apiVersion: 'shop.example/v1', kind: 'Order', name: 'one', uid: kept?.metadata?.uid ?? '' },
    ];
    await client.create(ConfigMap, { metadata: { ...metadata, ownerReferences } });
    expect((await run()).err).toContain('removed 1 references to owners');
    await using restored = await createApiServer({ restore: file });
    await restored.idle();
    const map = restored.object(ConfigMap, metadata);
    expect(map?.metadata?.ownerReferences).toEqual([ownerReferences[1]]);
  });

  test('keeps the owners of fields, or leaves them out', async () => {
    await run();
    expect(await readFile(file, 'utf8')).toContain('managedFields');
    await run('--no-managed-fields');
    expect(await readFile(file, 'utf8')).not.toContain('managedFields');
  });

  test('keeps integers beyond 2^53', async () => {
    const body =
      '{"apiVersion":"shop.example/v1","kind":"Order","metadata":{"name":"big"},"spec":{"size":9007199254740993}}';
    const path = '/apis/shop.example/v1/namespaces/shop/orders';
    const headers = { 'content-type': 'application/json' };
    await client.request({ method: 'POST', path, body, headers });
    await run();
    expect(await readFile(file, 'utf8')).toContain('"size":9007199254740993');
  });

  test('fails if a kind may not be listed, or leaves it out', async () => {
    const { token } = server.addUser({ name: 'vera', groups: ['viewers'] });
    await writeFile(kubeconfig, server.kubeconfig().replace(server.cluster.token, token));
    const rbac = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { namespace: 'shop', name: 'vera' },
    };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const subjects = [{ kind: 'User', name: 'vera', apiGroup: roleRef.apiGroup }];
    server.seed([{ ...rbac, kind: 'RoleBinding', roleRef, subjects } as KubernetesObject]);
    const refused = await run('-n', 'shop');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('SNAPSHOT_FORBIDDEN')]);
    expect(refused.err).toMatch(/kinds=.*customresourcedefinitions.apiextensions.k8s.io/);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    const { code, err } = await run('-n', 'shop', '--skip-forbidden');
    expect([code, err]).toEqual([0, expect.stringContaining('skipped')]);
    expect(await written()).toContain('Namespace shop');
    await using restored = await createApiServer({ restore: file });
    restored.seed([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'a' } },
    ]);
  });

  test('continues after a compaction between two pages', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `m${index}`);
    server.seed(
      names.map((name) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop', name },
      })),
    );
    const lists = { resource: ConfigMap, verb: 'list' } as const;
    const delayed = server.faults.delay({ ...lists, by: '50ms' });
    const running = run('--kinds', 'configmaps');
    await server.requested(lists, 2);
    server.seed([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } }]);
    server.compact();
    expect((await running).code).toBe(0);
    delayed.end();
    expect((await written()).filter((title) => title.startsWith('ConfigMap'))).toHaveLength(600);
    expect(server.stats.lists(ConfigMap)).toBe(3);
  });
});
