import { expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

test('a finalize request that leaves out the status does not take it from its owner', async () => {
  await using server = await createApiServer({});
  const client = new RawClient(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
  const condition = { type: 'Tested', status: 'True' };
  await client.patch('/api/v1/namespaces/n/status?fieldManager=tester', 'merge', {
    status: { conditions: [condition] },
  });
  const { code, body } = await client.put('/api/v1/namespaces/n/finalize?fieldManager=other', {
    metadata: { name: 'n' },
    spec: { finalizers: ['kubernetes'] },
  });
  expect([code, body.status.conditions]).toEqual([200, [expect.objectContaining(condition)]]);
  expect(body.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'tester', subresource: 'status' }),
  );
});
