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
async function reconciled(cluster: Cluster, variant: keyof typeof specs): Promise<void> {
  await using client: Client = createClient({ cluster });
  const metadata = { namespace: 'default', name: 'one' };
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

    test('runs with npm run dev', async () => {
      const command = ['node_modules/@keelson/cli/bin/keelson.js', 'dev'];
      await using program = workbench.start(variant, command);
      const file = await program.printed(/^kubeconfig\s+(.+)$/m);
      await program.printed(/"controller started"/);
      await program.during(reconciled(await loadCluster({ file }), variant));
      expect(await program.stop('SIGINT')).toBe(0);
    });
  });
});
