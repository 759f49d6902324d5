import { describe, expect, test } from '@jest/globals';
import { causesOf } from '../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

const core = '/api/v1/namespaces/default';
const tables = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };

describe('Odd requests', () => {
  const client = clientOfRunningServer();

  test('a create with a resourceVersion is refused after its validation, and accepted on a dry run', async () => {
    const create = (name: string, resourceVersion: string, query = ''): Promise<number> =>
      client
        .post(`${core}/configmaps${query}`, { metadata: { name, resourceVersion } })
        .then(({ code }) => code);
    expect([
      await create('a', '1'),
      await create('a', '1', '?dryRun=All'),
      await create('A', '1'),
      await create('zero', '0'),
      await create('text', 'x'),
    ]).toEqual([500, 201, 422, 201, 201]);
  });

  test('a review has a metadata form and no table', async () => {
    const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    expect((await client.post(reviews, body, tables)).code).toBe(406);
    const { body: review } = await client.post(reviews, body, metadataOnly);
    expect(Object.keys(review)).toEqual(['kind', 'apiVersion', 'metadata']);
    expect((await client.post(reviews, '{', tables)).code).toBe(406);
    const both = { accept: `${tables.accept},application/json` };
    expect((await client.post(reviews, body, both)).body.kind).toBe('SelfSubjectAccessReview');
    const named = await client.post(reviews, { metadata: { name: 'a' }, ...body });
    expect([named.code, causesOf(named)[0]?.endsWith('must be empty')]).toEqual([422, true]);
  });

  test('a token has no table', async () => {
    await client.post(`${core}/serviceaccounts`, { metadata: { name: 'a' } });
    const token = await client.post(`${core}/serviceaccounts/a/token`, { spec: {} }, tables);
    expect(token.code).toBe(406);
  });

  test('only core Events are selected by source', async () => {
    const selector = 'events?fieldSelector=source=tester';
    expect((await client.get(`${core}/${selector}`)).code).toBe(200);
    const other = await client.get(`/apis/events.k8s.io/v1/namespaces/default/${selector}`);
    expect([other.code, other.body.message]).toEqual([400, 'field label not supported: source']);
  });

  test.each([
    ['configmaps', 'data'],
    ['configmaps', 'binaryData'],
    ['secrets', 'data'],
  ])('%s with an empty key in %s are refused', async (plural, field) => {
    const body = { metadata: { name: 'empty' }, [field]: { '': 'YQ==' } };
    const [cause] = causesOf(await client.post(`${core}/${plural}`, body));
    expect(cause).toMatch(new RegExp(`^${field}\\[\\]: Invalid value: "": a valid config key`));
  });
});
