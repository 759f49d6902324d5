import { expect, test } from '@jest/globals';
import { json, startServer } from './testing/recording-server.test-support.ts';

// #region use
import { builtin } from '@keelson/apimachinery';
import { createClient, isNotFound, loadCluster, retryOnConflict } from '@keelson/client';

async function scaleDown(kubeConfig: string): Promise<string[]> {
  await using client = createClient({ cluster: await loadCluster({ kubeConfig }) });
  const names: string[] = [];
  for await (const { metadata } of client.items(builtin.Deployment, {
    labelSelector: 'idle=true',
  })) {
    const { namespace, name } = metadata;
    const scale = client.subresource(builtin.Deployment, 'scale');
    try {
      await retryOnConflict(async () => {
        const current = await scale.get({ namespace, name });
        await scale.update({ namespace, name }, { ...current, spec: { replicas: 0 } });
      });
      names.push(name);
    } catch (error) {
      if (!isNotFound(error)) throw error; // deleted meanwhile
    }
  }
  return names;
}
// #endregion

test('the code of the README scales idle deployments down', async () => {
  await using server = await startServer(({ method, url, body }, response, index) => {
    const metadata = { namespace: 'shop', name: 'web' };
    if (url.pathname === '/apis/apps/v1/deployments') {
      const gone = { namespace: 'shop', name: 'gone' };
      json(response, { items: [{ metadata }, { metadata: gone }] });
    } else if (url.pathname.includes('gone'))
      json(response, { reason: 'NotFound', kind: 'Status' }, 404);
    else if (method === 'PUT' && index < 3)
      json(response, { reason: 'Conflict', kind: 'Status' }, 409);
    else json(response, method === 'PUT' ? JSON.parse(body) : { metadata, spec: { replicas: 3 } });
  });
  const kubeConfig = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: server.url } }],
    contexts: [{ name: 'x', context: { cluster: 'c' } }],
    'current-context': 'x',
  });
  await expect(scaleDown(kubeConfig)).resolves.toEqual(['web']);
  const puts = server.requests.filter(({ method }) => method === 'PUT');
  expect(puts.map(({ body }) => JSON.parse(body).spec)).toEqual([{ replicas: 0 }, { replicas: 0 }]);
});
