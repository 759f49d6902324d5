import { expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

test('a waiting definition gets its names when the other definition is deleted', async () => {
  await using server = await createApiServer();
  const client = new RawClient(server);
  for (const plural of ['olds', 'others']) {
    await client.post(definitions, {
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural, kind: 'Old', shortNames: ['o'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    });
    await server.idle();
  }
  expect((await client.get('/apis/example.com/v1/others')).code).toBe(404);
  await client.delete(`${definitions}/olds.example.com`);
  await server.idle();
  expect((await client.get('/apis/example.com/v1/others')).code).toBe(200);
});
