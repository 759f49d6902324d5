import { describe, expect, test } from '@jest/globals';
import { sentSecrets } from './sent-secrets.ts';

const path = '/api/v1/namespaces/n/secrets/a';
const encoded = Buffer.from('opensesame').toString('base64');

describe('sentSecrets', () => {
  test.each<[string, unknown]>([
    ['data', { data: { password: encoded } }],
    ['stringData', { stringData: { password: 'opensesame' } }],
    ['a JSON patch', [{ op: 'add', path: '/data/password', value: encoded }]],
    ['a JSON patch of the whole data', [{ op: 'add', path: '/data', value: { a: encoded } }]],
  ])('has the values of %s, in plain text and in base64', (_what, body) => {
    const secrets = sentSecrets({ path, body: JSON.stringify(body) });
    expect(secrets).toEqual(expect.arrayContaining(['opensesame', encoded]));
    expect(secrets).not.toContain('/data/password');
  });

  test('has the token of a TokenReview, and not its audiences', () => {
    const review = { spec: { token: 'opensesame', audiences: ['https://kubernetes'] } };
    const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';
    const body = JSON.stringify(review);
    expect(sentSecrets({ path: reviews, body })).toEqual(['opensesame']);
    expect(sentSecrets({ path: reviews, body: '{"spec":{}}' })).toEqual([]);
  });

  test.each([
    ['/api/v1/namespaces/n/configmaps/a', '{"data":{"a":"b"}}'],
    ['/apis/example.com/v1/secrets', '{"data":{"a":"b"}}'],
    [path, undefined],
    [path, 'no JSON'],
    [path, 'null'],
    ['/api/v1/secrets', '{"metadata":{"name":"a"}}'],
  ])('is empty for the path %s with the body %p', (other, body) => {
    expect(sentSecrets({ path: other, body })).toEqual([]);
  });
});
