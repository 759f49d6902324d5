import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import { definitionWith, versionWith } from '../types/code/definition.test-support.ts';
import type { CheckResult } from './runner/check-runner.ts';

const packages = fileURLToPath(new URL('../../../../../node_modules/@keelson', import.meta.url));
const rbac = 'rbac.authorization.k8s.io/v1';
const definition = definitionWith([versionWith({ type: 'object' })]);
const rules = [
  { apiGroups: ['shop.example'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['shop.example'], resources: ['widgets/status'], verbs: ['patch'] },
];
const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'operator' }, rules };
const account = 'system:serviceaccount:operator:operator';

describe('keelson doctor', () => {
  let folder: string;
  let server: ApiServer;
  let kubeconfig: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-doctor-'));
    await mkdir(join(folder, 'node_modules'));
    await mkdir(join(folder, 'config/crd'), { recursive: true });
    await symlink(packages, join(folder, 'node_modules/@keelson'));
    const dependencies = { '@keelson/manager': '*' };
    await write('package.json', { name: 'operator', version: '1.0.0', dependencies });
    await write('config/crd/widgets.json', definition);
    await write('config/role.yaml', role);
    server = await createApiServer({ authorizationMode: 'RBAC' });
    kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig());
  });

  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function write(path: string, content: object): Promise<void> {
    await writeFile(join(folder, path), JSON.stringify(content));
  }

  function seed(...objects: readonly object[]): void {
    server.seed(objects as Parameters<typeof server.seed>[0]);
  }

  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'operator' } };

  async function run(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const { terminal, out, err } = recordingTerminal();
    // A busy machine may stop a process for seconds.
    const places = ['--project', folder, '--kubeconfig', kubeconfig, '--timeout', '5m'];
    const code = await runProgram(['doctor', ...places, ...words], terminal, '1.2.3');
    return { code, out: out(), err: err() };
  }

  /** Returns the exit code, and the results by their names. */
  async function check(...words: readonly string[]): Promise<{ code: number } & Results> {
    const { code, out } = await run('--json', ...words);
    const { checks } = JSON.parse(out) as { checks: readonly CheckResult[] };
    return { code, ...Object.fromEntries(checks.map((result) => [result.name, result])) };
  }

  type Results = Readonly<Record<string, CheckResult | number>>;

  test('prints one line for each check, and succeeds if none failed', async () => {
    seed(namespace, definition);
    await server.idle();
    const { code, out, err } = await run();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^ok {7}Node\.js {6}\d/),
      'ok       project      operator 1.0.0',
      expect.stringMatching(/^ok {7}packages {5}\d+ of version /),
      `ok       kubeconfig   ${kubeconfig}`,
      expect.stringMatching(/^ok {7}server {7}Kubernetes v1\.\d+\.\d+\S* at http:/),
      'ok       definitions  widgets.shop.example is established and equal',
      'ok       conversions  no definition needs one',
      'ok       permissions  the current user has 4 permissions of config/role.yaml',
      'ok       namespace    operator',
      '',
    ]);
  });

  test('reports missing definitions and a missing namespace with their cures', async () => {
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toMatch(
      /^failed {3}definitions {2}widgets\.shop\.example is not installed\n {22}kubectl apply --server-side -f config\/crd\n/,
    );
    expect(err).toMatch(/^failed {3}namespace .*\n {22}kubectl create namespace operator$/m);
  });

  test('reports the place where a definition differs', async () => {
    const schema = { type: 'object', properties: { spec: { type: 'object' } } };
    seed(namespace, definitionWith([versionWith(schema)]));
    await server.idle();
    expect(await check()).toMatchObject({
      code: 1,
      definitions: {
        status: 'failed',
        detail:
          'widgets.shop.example differs at spec.versions[0].schema.openAPIV3Schema.properties',
      },
    });
  });

  test('names the permissions that a user lacks, and accepts a user that has them', async () => {
    seed(namespace, definition);
    const lacking = await check('--as', account);
    expect(lacking).toMatchObject({
      code: 1,
      permissions: {
        detail: `${account} may not get,list,watch widgets.shop.example; patch widgets.shop.example/status`,
      },
    });
    const subjects = [{ kind: 'ServiceAccount', namespace: 'operator', name: 'operator' }];
    const roleRef = {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'operator',
    };
    const metadata = { name: 'operator' };
    seed(role, { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata, subjects, roleRef });
    expect(await check('--as', account)).toMatchObject({ permissions: { status: 'ok' } });
  });

  test('checks the roles of a limited operator in its namespaces alone', async () => {
    const nodes = { apiGroups: [''], resources: ['nodes'], verbs: ['get'] };
    await write('config/role.yaml', { ...role, rules: [...rules, nodes] });
    seed(namespace, definition, role);
    const subjects = [{ kind: 'ServiceAccount', namespace: 'operator', name: 'operator' }];
    const apiGroup = 'rbac.authorization.k8s.io';
    const roleRef = { apiGroup, kind: 'ClusterRole', name: 'operator' };
    for (const watched of ['shop', 'warehouse']) {
      const metadata = { namespace: watched, name: 'operator-watched' };
      seed({ ...namespace, metadata: { name: watched } });
      seed({ apiVersion: rbac, kind: 'RoleBinding', metadata, subjects, roleRef });
    }
    const limited = ['--as', account, '--namespaces', 'shop,warehouse'];
    expect(await check(...limited)).toMatchObject({
      permissions: { status: 'failed', detail: `${account} may not get nodes` },
    });
    seed(
      { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'nodes' }, rules: [nodes] },
      {
        apiVersion: rbac,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'nodes' },
        subjects,
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'nodes' },
      },
    );
    const detail = `${account} has 9 permissions of config/role.yaml in shop, warehouse`;
    expect(await check(...limited)).toMatchObject({ permissions: { status: 'ok', detail } });
    const keelson = { watchNamespaces: ['shop', 'other'] };
    await write('package.json', { name: 'operator', version: '1.0.0', keelson });
    const lacking = await check('--as', account);
    expect(lacking).toMatchObject({
      permissions: {
        detail: expect.stringMatching(/get,list,watch widgets.shop.example in other/),
      },
    });
    expect((await run('--namespaces', 'Shop')).code).toBe(2);
  });

  test('warns about a missing file of roles', async () => {
    await rm(join(folder, 'config/role.yaml'));
    expect(await check()).toMatchObject({ permissions: { status: 'warning' } });
  });

  test('skips the checks that need a kubeconfig, a project or a server', async () => {
    const skipped = { status: 'skipped' };
    await server.close();
    const failed = { status: 'failed', cure: expect.stringContaining(server.url) };
    const unreachable = await check();
    expect(unreachable).toMatchObject({ server: failed, definitions: skipped, namespace: skipped });
    await writeFile(kubeconfig, '{');
    expect(await check()).toMatchObject({ kubeconfig: { status: 'failed' }, server: skipped });
    await write('package.json', { name: 'Not A Name' });
    expect(await check()).toMatchObject({ project: { status: 'failed' }, packages: skipped });
  });

  test('fails for an unknown context', async () => {
    expect(await check('--context', 'none')).toMatchObject({
      code: 1,
      kubeconfig: { status: 'failed', detail: expect.stringContaining('none') },
    });
  });

  test.each(['0s', 'soon', '10'])('refuses the time limit %s', async (timeout) => {
    const { terminal } = recordingTerminal();
    expect(await runProgram(['doctor', '--timeout', timeout], terminal, '1.2.3')).toBe(2);
  });
});
