import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, kubernetesVersions } from '@keelson/envtest';
import { builtin, createClient } from '@keelson/manager';

describe('a saved state', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-guide-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('is the start of each test', async () => {
    const file = join(folder, 'shop.jsonl');
    // #region save
    {
      await using environment = await createTestEnvironment({ use: 'memory' });
      await using client = createClient({ cluster: environment.admin.cluster });
      const metadata = { namespace: 'default', name: 'settings' };
      await client.create(builtin.ConfigMap, { metadata, data: { colour: 'red' } });
      await environment.save(file); // '../fixtures/shop.jsonl'
    }
    // #endregion
    // #region restore
    await using environment = await createTestEnvironment({ restore: file });
    await using client = createClient({ cluster: environment.admin.cluster });
    const settings = await client.get(builtin.ConfigMap, {
      namespace: 'default',
      name: 'settings',
    });
    expect(settings.data).toEqual({ colour: 'red' });
    // #endregion
    const saved = await environment.save();
    await environment.stop();
    await expect(environment.save()).rejects.toMatchObject({ code: 'ENVIRONMENT_STOPPED' });
    await using again = await createTestEnvironment({ restore: saved });
    expect(again.kind).toBe('memory');
  });

  test('needs the server in memory', async () => {
    await expect(
      createTestEnvironment({ use: 'kubeconfig', restore: 'shop.jsonl' }),
    ).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'createTestEnvironment.restore' },
    });
    await expect(createTestEnvironment({ restore: join(folder, 'missing') })).rejects.toMatchObject(
      { code: 'SNAPSHOT_UNREADABLE' },
    );
    await using memory = await createTestEnvironment({ use: 'memory' });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, memory.admin.kubeconfig);
    await using existing = await createTestEnvironment({ use: 'kubeconfig', kubeconfig });
    await expect(existing.save()).rejects.toMatchObject({
      code: 'SNAPSHOTS_NOT_SUPPORTED',
      facts: { kind: 'kubeconfig' },
    });
  });
});

// #region versions
describe.each(kubernetesVersions)('on Kubernetes %s', (version) => {
  test('the operator runs', async () => {
    await using environment = await createTestEnvironment({ version });
    await using client = createClient({ cluster: environment.admin.cluster });
    const { major, minor } = await client.discovery.version();
    expect(`${major}.${minor}`).toBe(version);
    // Start the operator here, and wait for what it does.
  });
});
// #endregion
