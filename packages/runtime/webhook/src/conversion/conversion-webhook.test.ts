import { describe, expect, test } from '@jest/globals';
import { CodedError } from '@keelson/apimachinery';
import { endpointsOf, Job, send } from '../testing/reviews.test-support.ts';
import type { ConvertibleVersions } from './conversion-webhook.ts';

const body = { kind: 'ConversionReview', request: { uid: '1' } };

function versionsOf(
  review: (body: unknown) => object,
  clientConfig: object = { service: { namespace: 'n', name: 's', path: '/convert/jobs' } },
): ConvertibleVersions {
  const conversion = { strategy: 'Webhook', webhook: { clientConfig } };
  return { crd: { metadata: { name: 'jobs.batch.example.com' }, spec: { conversion } }, review };
}

describe('a conversion', () => {
  test.each([
    [{ service: { namespace: 'n', name: 's', path: '/convert/jobs' } }],
    [{ url: 'https://127.0.0.1:9443/convert/jobs' }],
  ])('responds at the path of the definition: %j', async (clientConfig) => {
    const { endpoints } = endpointsOf();
    endpoints.addConversion(versionsOf((received) => ({ received }), clientConfig));
    const response = await send(endpoints, body, { url: '/convert/jobs?timeout=30s' });
    expect(response).toMatchObject({ status: 200, type: 'application/json' });
    expect(JSON.parse(response.body)).toEqual({ received: body });
    expect((await send(endpoints, body, { url: '/convert' })).status).toBe(404);
  });

  const refusal = new CodedError('CONVERSION_FAILED', 'secret');
  test.each<[string, () => object, number, string]>([
    ['another body', () => thrown(refusal), 400, 'REVIEW_INVALID'],
    ['a function that throws', () => thrown(new Error('secret')), 500, 'WEBHOOK_FAILED'],
    ['a function that rejects', () => Promise.reject(new Error('secret')), 500, 'WEBHOOK_FAILED'],
    ['no result', () => undefined as never, 500, 'WEBHOOK_RESULT'],
  ])('refuses %s with a code and without the error', async (_, review, status, code) => {
    const { endpoints } = endpointsOf();
    endpoints.addConversion(versionsOf(review));
    const response = await send(endpoints, body, { url: '/convert/jobs' });
    expect([response.status, response.body.split(':')[0]]).toEqual([status, code]);
    expect(response.body).not.toContain('secret');
  });

  const object = (change: object = {}, metadata: object = {}): object => ({
    apiVersion: 'batch.example.com/v1',
    kind: 'Job',
    metadata: { namespace: 'n', name: 'a', uid: '7', ...metadata },
    ...change,
  });
  const converted = (change: object = {}, metadata: object = {}): object =>
    object({ apiVersion: 'batch.example.com/v2', ...change }, metadata);
  const response = (convertedObjects: unknown, others: object = {}): object => ({
    response: { uid: '1', convertedObjects, result: { status: 'Success' }, ...others },
  });
  const request = {
    uid: '1',
    desiredAPIVersion: 'batch.example.com/v2',
    objects: [object(), object({}, { name: 'b' })],
  };
  const second = converted({}, { name: 'b', labels: { a: 'b' } });

  test.each<[string, object]>([
    ['the converted objects', response([converted(), second])],
    ['a failure', response([], { result: { status: 'Failure' } })],
  ])('passes %s on', async (_, review) => {
    const { endpoints } = endpointsOf();
    endpoints.addConversion(versionsOf(() => review));
    const sent = await send(endpoints, { ...body, request }, { url: '/convert/jobs' });
    expect([sent.status, JSON.parse(sent.body)]).toEqual([200, review]);
  });

  test.each<[string, object]>([
    ['response.uid must be that', response([converted(), second], { uid: '2' })],
    ['convertedObjects must have 2 objects, and has 1', response([converted()])],
    ['convertedObjects must have 2 objects, and has 0', response(undefined)],
    ['convertedObjects[0] has another apiVersion', response([object(), second])],
    ['convertedObjects[1] has another kind', response([converted(), converted({ kind: 'Pod' })])],
    ['convertedObjects[1] has another metadata.name', response([converted(), converted()])],
    [
      'convertedObjects[0] has another metadata.uid',
      response([converted({}, { uid: '8' }), second]),
    ],
    [
      'convertedObjects[0] has another metadata.namespace',
      response([converted({}, { namespace: 'm' }), second]),
    ],
    ['convertedObjects[0] has another apiVersion', response([null, second])],
  ])('refuses what the API server would refuse: %s', async (reason, review) => {
    const { endpoints } = endpointsOf();
    endpoints.addConversion(versionsOf(() => review));
    const sent = await send(endpoints, { ...body, request }, { url: '/convert/jobs' });
    expect(sent.status).toBe(500);
    expect(sent.body).toContain('WEBHOOK_RESULT');
    expect(sent.body).toContain(reason);
  });

  test('keeps the digits of integers beyond 2^53', async () => {
    const { endpoints } = endpointsOf();
    endpoints.addConversion(
      versionsOf((received) => {
        const { objects } = (received as { request: { objects: { spec: object }[] } }).request;
        const [first, other] = objects.map(({ spec }) => spec);
        return response([converted({ spec: { id: first } }), { ...second, spec: other }]);
      }),
    );
    const [id, next] = ['9007199254740993', '9007199254740995'];
    const sent = JSON.stringify({ ...body, request })
      .replace('"kind":"Job"', `"kind":"Job","spec":{"id":${id}}`)
      .replace('"name":"b","uid":"7"}', `"name":"b","uid":"7"},"spec":{"id":${next}}`);
    const { body: text } = await send(endpoints, sent, { url: '/convert/jobs' });
    expect(text).toContain(`"spec":{"id":{"id":${id}}}`);
    expect(text).toContain(`"spec":{"id":${next}}`);
  });

  test('has a kind and a path that nothing else has', () => {
    const { endpoints } = endpointsOf();
    const versions = versionsOf(() => ({}));
    endpoints.addConversion(versions);
    const duplicate = expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' });
    expect(() => endpoints.addConversion(versions)).toThrow(duplicate);
    const path = '/convert/jobs';
    expect(() =>
      endpoints.add({ name: 'jobs', resource: Job, path, validate: () => undefined }),
    ).toThrow(duplicate);
  });

  test.each<[string, unknown]>([
    ['W.crd', { ...versionsOf(() => ({})), crd: undefined }],
    ['W.crd', { ...versionsOf(() => ({})), crd: { metadata: { name: 'a' }, spec: {} } }],
    ['W', { crd: versionsOf(() => ({})).crd }],
    ['W', undefined],
    [
      'W.crd.spec.conversion.webhook.clientConfig',
      versionsOf(() => ({}), { service: { namespace: 'n', name: 's' } }),
    ],
    [
      'W.crd.spec.conversion.webhook.clientConfig',
      versionsOf(() => ({}), { url: 'https://127.0.0.1/' }),
    ],
    ['W.crd.spec.conversion.webhook.clientConfig', versionsOf(() => ({}), { url: 'no URL' })],
  ])('throws INVALID_OPTION for a wrong %s', (option, versions) => {
    const { endpoints } = endpointsOf();
    expect(() => endpoints.addConversion(versions as ConvertibleVersions, 'W')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});

function thrown(error: Error): never {
  throw error;
}
