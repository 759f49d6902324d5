import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { openSuite } from './suite.ts';

const suite = openSuite();

const Parcel = defineResource<KubernetesObject & { spec?: { weight?: number } }>({
  group: 'snapshots.keelson.dev',
  version: 'v1',
  kind: 'Parcel',
  plural: 'parcels',
});

const definition: KubernetesObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'parcels.snapshots.keelson.dev' },
  spec: {
    group: Parcel.group,
    scope: 'Namespaced',
    names: { plural: Parcel.plural, kind: Parcel.kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { weight: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};

const program = fileURLToPath(
  new URL('../../../packages/toolkit/cli/src/program/bin.ts', import.meta.url),
);

describe('keelson snapshot', () => {
  let folder: string;
  let namespace: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-snapshot-'));
    suite.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'kubeconfig'), suite.kubeconfig, { mode: 0o600 });
    namespace = await suite.namespace();
    await suite.install(definition);
  });

  async function snapshot(file: string, ...words: string[]): Promise<string> {
    const args = ['--conditions=@keelson/source', program, 'snapshot', '-o', file, ...words];
    const kubeconfig = join(folder, 'kubeconfig');
    const all = [...args, '--kubeconfig', kubeconfig];
    const { stdout } = await promisify(execFile)(process.execPath, all, {
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  }

  test('makes a file from which a server in memory starts with the same objects', async () => {
    const { client } = suite;
    const metadata = { namespace, name: 'one' };
    await client.create(Parcel, { metadata, spec: { weight: 3 } });
    await client.create(builtin.Secret, { metadata });
    const template = {
      metadata: { labels: { app: 'one' } },
      spec: { containers: [{ name: 'main', image: 'example.com/one:1' }] },
    };
    const selector = { matchLabels: { app: 'one' } };
    await client.create(builtin.Deployment, { metadata, spec: { selector, template } });
    for (let index = 0; index < 30; index++) {
      const name = `settings-${index}`;
      await client.create(builtin.ConfigMap, { metadata: { namespace, name }, data: { a: 'b' } });
    }
    const file = join(folder, 'cluster.jsonl');
    expect(await snapshot(file)).toMatch(/^written .* objects at resourceVersion \d+/);
    expect(await readFile(file, 'utf8')).not.toContain('"kind":"Secret"');
    await using memory = await createTestEnvironment({ restore: file });
    await using restored = createClient({ cluster: memory.admin.cluster });
    for (const resource of [builtin.ConfigMap, builtin.Deployment, Parcel, builtin.Service]) {
      const { items, metadata: list } = await restored.list(resource, { namespace });
      expect(items).toEqual((await client.list(resource, { namespace })).items);
      const changed = await restored.create(builtin.ConfigMap, {
        metadata: { namespace, generateName: 'later-' },
      });
      const options = { namespace, resourceVersion: list.resourceVersion ?? '' };
      for await (const event of restored.watch(builtin.ConfigMap, options)) {
        expect(event.object.metadata?.name).toBe(changed.metadata.name);
        break;
      }
    }
    const { metadata: before } = await restored.get(Parcel, metadata);
    const applied = await restored.apply(
      Parcel,
      { metadata, spec: { weight: 4 } },
      { force: true },
    );
    expect(applied.metadata).toMatchObject({ uid: before.uid, generation: 2 });
  });

  test('of a namespace has its definitions and its namespace', async () => {
    const file = join(folder, 'namespace.jsonl');
    await snapshot(file, '-n', namespace, '--kinds', 'parcels,configmaps');
    await using memory = await createTestEnvironment({ restore: file });
    await using restored = createClient({ cluster: memory.admin.cluster });
    const { items } = await restored.list(Parcel);
    expect(items).toEqual((await suite.client.list(Parcel, { namespace })).items);
    await restored.create(Parcel, { metadata: { namespace, name: 'two' }, spec: { weight: 1 } });
  });
});
