import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, until } from '@keelson/envtest';
import {
  createClient,
  defineResource,
  isConditionTrue,
  loadCluster,
  type Client,
  type Cluster,
  type Condition,
  type KubernetesObject,
} from '@keelson/manager';
import { deploy } from './deployment.ts';
import { goProgram, helmProgram } from '@keelson/e2e-control-plane';
import { everyValue } from './chart-values.ts';
import { bundleValidator } from './olm.ts';
import { freePorts, Workbench } from './workbench.ts';

interface Order extends KubernetesObject {
  spec: object;
  status?: { conditions?: Condition[] };
}

const Order = defineResource<Order>({
  group: 'sales.example',
  version: 'v1',
  kind: 'Order',
  plural: 'orders',
});

/** The variants, each with the spec of an object. */
const specs = {
  plain: { message: 'hello' },
  webhook: { message: 'hello' },
  external: { region: 'north' },
  dynamic: { source: { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' } },
} as const;
const variants = Object.keys(specs) as (keyof typeof specs)[];

/** Creates an object, and waits until the operator has reconciled it. */
async function reconciled(
  cluster: Cluster,
  variant: keyof typeof specs,
  namespace = 'default',
): Promise<void> {
  await using client: Client = createClient({ cluster });
  const metadata = { namespace, name: 'one' };
  await client.create(Order, { metadata, spec: specs[variant] });
  const isReady = (object: Order | undefined): boolean =>
    isConditionTrue(object?.status?.conditions, 'Ready');
  await until(client, Order, metadata, isReady, { timeout: '120s' });
}

describe('npm create keelson', () => {
  let workbench: Workbench;

  beforeAll(async () => {
    workbench = await Workbench.create();
    for (const variant of variants) {
      const flags = ['--group', 'sales.example', '--kind', 'Order', '--variant', variant];
      await workbench.create(variant, ...flags, '--yes');
    }
    await workbench.install(...(variants as [string, ...string[]]));
  }, 600_000);

  afterAll(async () => {
    await workbench?.[Symbol.asyncDispose](); // undefined if packing failed
  });

  describe.each(variants)('--variant %s', (variant) => {
    const fileOf = (path: string): string => join(workbench.folderOf(variant), path);

    test('gives a project whose tests pass', async () => {
      expect(await workbench.run(variant, 'npm', 'test')).toMatch(/\bfail 0\n/);
    });

    test('compiles', async () => {
      await workbench.run(variant, 'npm', 'run', 'types');
    });

    test.each([
      ['crd', 'generate', '--check'],
      ['rbac', '--check'],
    ])('has the files that keelson %s would write', async (...words) => {
      await workbench.run(variant, 'npx', '--offline', 'keelson', ...words);
    });

    test('has manifests', async () => {
      await workbench.run(variant, 'npm', 'run', 'manifests');
      expect(await readdir(fileOf('deploy'))).toEqual(['chart', 'kustomize']);
    });

    // In memory, or with KUBEBUILDER_ASSETS on kube-apiserver.
    test('is deployed by its manifests, whose permissions suffice for its bundle', async () => {
      await workbench.run(variant, 'npm', 'run', 'build');
      await using environment = await createTestEnvironment();
      const { admin } = environment;
      const [own, file] = [fileOf('kubeconfig'), fileOf('admin.kubeconfig')];
      await writeFile(own, await deploy(environment, workbench.folderOf(variant), variant));
      await writeFile(file, admin.kubeconfig);
      const variables = { ...freePorts, KUBECONFIG: own };
      await using program = workbench.start(variant, ['dist/operator.mjs'], variables);
      await program.during(reconciled(admin.cluster, variant));
      const user = `system:serviceaccount:${variant}:${variant}`;
      const doctor = ['keelson', 'doctor', '--kubeconfig', file, '--as', user];
      const report = await workbench.run(variant, 'npx', '--offline', ...doctor);
      expect(report).toMatch(/^ok +permissions/m);
      expect(await program.stop('SIGTERM')).toBe(0);
    });

    test('with WATCH_NAMESPACES needs its permissions in these namespaces only', async () => {
      const namespaces = ['shop', 'warehouse'];
      const members = namespaces.map((name, index) => `keelson.watchNamespaces[${index}]=${name}`);
      await workbench.run(variant, 'npm', 'pkg', 'set', ...members);
      await workbench.run(variant, 'npm', 'run', 'manifests');
      await using environment = await createTestEnvironment();
      const { cluster } = environment.admin;
      const folder = workbench.folderOf(variant);
      const own = fileOf('kubeconfig');
      await writeFile(own, await deploy(environment, folder, variant, { namespaces }));
      await using client: Client = createClient({ cluster });
      const elsewhere = { namespace: 'default', name: 'elsewhere' };
      await client.create(Order, { metadata: elsewhere, spec: specs[variant] });
      const variables = { ...freePorts, KUBECONFIG: own, WATCH_NAMESPACES: namespaces.join() };
      await using program = workbench.start(variant, ['dist/operator.mjs'], variables);
      for (const namespace of namespaces) {
        await program.during(reconciled(cluster, variant, namespace));
      }
      expect((await client.get(Order, elsewhere)).status).toBeUndefined();
      expect(program.output).not.toContain('forbidden');
      expect(await program.stop('SIGTERM')).toBe(0);
    });

    test('has a chart that Helm lints, and renders with every value', async () => {
      const helm = await helmProgram();
      const values = fileOf('every-value.json');
      await writeFile(values, JSON.stringify(everyValue));
      await workbench.run(variant, helm, 'lint', '--strict', 'deploy/chart');
      await workbench.run(variant, helm, 'lint', '--strict', 'deploy/chart', '-f', values);
      const chart = ['template', 'release', 'deploy/chart', '-n', 'release-namespace'];
      const plain = await workbench.run(variant, helm, ...chart);
      expect(plain).toMatch(/^kind: Deployment$/m);
      expect(plain).not.toMatch(/^kind: NetworkPolicy$/m);
      const full = await workbench.run(variant, helm, ...chart, '-f', values);
      for (const text of ['kind: NetworkPolicy', 'kind: ServiceMonitor', 'team: web']) {
        expect(full).toContain(text);
      }
      expect(
        full.match(/^ {2}name: \S+-watched\n {2}namespace: "(?:shop|warehouse)"$/gm),
      ).toHaveLength(2);
      const refused = workbench.run(variant, helm, ...chart, '--set', 'replica=1');
      await expect(refused).rejects.toThrow('replica');
    });

    test('has a workflow that actionlint accepts', async () => {
      const path = 'github.com/rhysd/actionlint/cmd/actionlint';
      const actionlint = await goProgram({ name: 'actionlint', path, version: 'v1.7.12' });
      await workbench.run(variant, actionlint, '-no-color', '.github/workflows/ci.yaml');
    });

    test('has a bundle that the validators of operator-sdk accept', async () => {
      await workbench.run(variant, 'npx', '--offline', 'keelson', 'bundle');
      const validated = await workbench.run(variant, await bundleValidator(), 'deploy/bundle');
      expect(validated).toMatch(/\.v0\.1\.0: valid, \d+ objects\n/);
    });

    test('grows by keelson add, and stays green', async () => {
      const keelson = ['--offline', 'keelson'];
      for (const words of [
        ['kind', 'Invoice'],
        ['webhook', 'Invoice'],
        ['policy', 'Order'],
        ['dashboard', 'Order'],
      ]) {
        await workbench.run(variant, 'npx', ...keelson, 'add', ...words, '--yes');
      }
      await workbench.run(variant, 'npm', 'run', 'types');
      expect(await workbench.run(variant, 'npm', 'test')).toMatch(/\bfail 0\n/);
      await workbench.run(variant, 'npx', ...keelson, 'crd', 'generate', '--check');
      await workbench.run(variant, 'npx', ...keelson, 'manifests', '--check');
      const rbac = ['rbac', '--check', '--', 'node', '--test', 'src/operator.test.ts'];
      await workbench.run(variant, 'npx', ...keelson, ...rbac);
    });

    test('runs with npm run dev', async () => {
      const command = ['node_modules/@keelson/cli/bin/keelson.js', 'dev'];
      await using program = workbench.start(variant, command);
      const file = await program.printed(/^kubeconfig\s+(.+)$/m);
      await program.printed(/"controller started"/);
      await program.during(reconciled(await loadCluster({ file }), variant));
      await program.printed(/^webhooks +https:/m);
      const invalid = { metadata: { name: 'a'.repeat(64) }, spec: { message: 'hello' } };
      const object = { apiVersion: 'sales.example/v1', kind: 'Invoice', ...invalid };
      await writeFile(fileOf('invoice.json'), JSON.stringify(object));
      const keelson = ['npx', '--offline', 'keelson'] as const;
      await expect(workbench.run(variant, ...keelson, 'apply', 'invoice.json')).rejects.toThrow(
        'denied the request: metadata.name must have at most 63 characters',
      );
      expect(await workbench.run(variant, ...keelson, 'get', 'orders', '-A')).toMatch(/\bone\b/);
      expect(await program.stop('SIGINT')).toBe(0);
    });
  });
});
