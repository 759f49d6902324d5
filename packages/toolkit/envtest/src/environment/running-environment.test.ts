import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../index.ts';

describe('a stopped test environment', () => {
  test('rejects calls; a second stop has no effect', async () => {
    const environment = await createTestEnvironment({ use: 'memory' });
    await environment.stop();
    const late = { code: 'ENVIRONMENT_STOPPED' };
    await expect(environment.addUser({ name: 'late' })).rejects.toMatchObject(late);
    await expect(environment.installCrds([])).rejects.toMatchObject(late);
    await environment.stop();
  });
});

describe('the kubeconfig of an environment in memory', () => {
  test('names a server with TLS and its authority, without which kubectl sends no token', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const { clusters, extensions } = JSON.parse(environment.admin.kubeconfig) as {
      extensions: unknown;
      clusters: { cluster: Record<string, string> }[];
    };
    expect(clusters[0]?.cluster).toMatchObject({
      server: expect.stringMatching(/^https:/),
      'certificate-authority-data': expect.any(String),
    });
    // Caches then freeze their objects, as for the cluster itself.
    expect(extensions).toEqual([{ name: 'keelson.dev/development', extension: {} }]);
    const { cluster } = await environment.addUser({ name: 'vera' });
    expect([environment.admin.cluster.development, cluster.development]).toEqual([true, true]);
  });
});
