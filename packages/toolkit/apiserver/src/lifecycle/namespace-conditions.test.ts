import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const finalizers = ['example.com/f'];

describe('deletion of a namespace', () => {
  test('reports the remaining content in conditions until the namespace is gone', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post('/api/v1/namespaces', { metadata: { name: 'full' } });
    const maps = '/api/v1/namespaces/full/configmaps';
    await client.post(maps, { metadata: { name: 'held', finalizers } });
    await client.post(maps, { metadata: { name: 'free' } });
    await client.delete('/api/v1/namespaces/full');
    await server.idle();
    const { body } = await client.get('/api/v1/namespaces/full');
    const found = body.status.conditions.map(({ type, status, reason, message }: Json) => [
      type,
      status,
      reason,
      message,
    ]);
    expect(found).toEqual([
      [
        'NamespaceDeletionDiscoveryFailure',
        'False',
        'ResourcesDiscovered',
        'All resources successfully discovered',
      ],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/f in 1 resource instances',
      ],
    ]);
    await client.patch(`${maps}/held`, 'merge', { metadata: { finalizers: null } });
    await server.idle();
    expect((await client.get('/api/v1/namespaces/full')).code).toBe(404);
  });

  test('does not run without its controller', async () => {
    await using server = await createApiServer({ controllers: [] });
    const client = new RawClient(server);
    await client.post('/api/v1/namespaces', { metadata: { name: 'full' } });
    await client.delete('/api/v1/namespaces/full');
    await server.idle();
    const { body } = await client.get('/api/v1/namespaces/full');
    expect(body.status).toEqual({ phase: 'Terminating' });
  });

  test('refuses the name of an unknown controller', async () => {
    const controllers = ['scheduler'] as unknown as ['namespace'];
    await expect(createApiServer({ controllers })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'createApiServer.controllers' },
    });
  });
});
