import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type RawResponse, type Json, RawClient } from '../server/raw-client.test-support.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const schema = { openAPIV3Schema: { type: 'object' } };

function define(client: RawClient, names: Json, versions: Json[]): Promise<RawResponse> {
  return client.post(definitions, {
    metadata: { name: `${names.plural}.example.com` },
    spec: { group: 'example.com', scope: 'Cluster', names, versions },
  });
}

describe('a deprecated version of a definition', () => {
  const names = { plural: 'olds', kind: 'Old' };
  const v1 = { name: 'v1', served: true, storage: true, schema };
  const beta = { name: 'v1beta1', served: true, storage: false, deprecated: true, schema };

  test('adds a warning to every response, with the newer version', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await define(client, names, [v1, beta]);
    await server.idle();
    const { headers } = await client.get('/apis/example.com/v1beta1/olds');
    expect(headers.get('warning')).toBe(
      '299 - "example.com/v1beta1 Old is deprecated; use example.com/v1 Old"',
    );
    const missing = await client.get('/apis/example.com/v1beta1/olds/missing');
    expect(missing.headers.get('warning')).toContain('is deprecated');
    expect((await client.get('/apis/example.com/v1/olds')).headers.get('warning')).toBeNull();
  });

  test('uses the warning text of the definition', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await define(client, names, [v1, { ...beta, deprecationWarning: 'this goes soon' }]);
    await server.idle();
    const { headers } = await client.get('/apis/example.com/v1beta1/olds');
    expect(headers.get('warning')).toBe('299 - "this goes soon"');
  });

  test.each<[string, object, string]>([
    [
      'of a version that is not deprecated',
      { deprecated: false },
      'can only be set for deprecated versions',
    ],
    ['that is empty', { deprecationWarning: '' }, 'must not be an empty string'],
    ['of two lines', { deprecationWarning: 'a\nb' }, 'non-printable character found at index 1'],
    ['that is too long', { deprecationWarning: 'x'.repeat(257) }, 'must be <= 256 characters long'],
  ])('rejects a warning %s', async (_title, more, why) => {
    await using server = await createApiServer();
    const version = { ...beta, deprecationWarning: 'soon', ...more };
    const { code, body } = await define(new RawClient(server), names, [v1, version]);
    expect(code).toBe(422);
    expect(body.message).toContain(why);
  });
});

test('a definition keeps its names that no other definition has', async () => {
  await using server = await createApiServer();
  const client = new RawClient(server);
  const version = { name: 'v1', served: true, storage: true, schema };
  await define(client, { plural: 'olds', kind: 'Old', shortNames: ['o'] }, [version]);
  await server.idle();
  await define(client, { plural: 'news', kind: 'New', shortNames: ['o'] }, [version]);
  await server.idle();
  const { body } = await client.get(`${definitions}/news.example.com`);
  const { acceptedNames } = body.status;
  expect(acceptedNames).toEqual({
    plural: 'news',
    singular: 'new',
    kind: 'New',
    listKind: 'NewList',
  });
});
