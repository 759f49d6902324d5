import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const workload = { selector: { matchLabels: { a: 'b' } }, template };
const job = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
const long = 'a'.repeat(64);

describe('limits', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeAll(async () => {
    server = await createApiServer();
    client = new RawClient(server);
    await client.post(`${core}/configmaps`, { metadata: { name: 'a' } });
  });

  afterAll(() => server.close());

  test.each([
    ['apps/v1/namespaces/default/statefulsets', { spec: workload }, 63],
    [
      'batch/v1/namespaces/default/cronjobs',
      { spec: { schedule: '* * * * *', jobTemplate: { spec: job } } },
      52,
    ],
  ])('a name of %s is limited by the names derived from it', async (path, object, most) => {
    const { code, body } = await client.post(`/apis/${path}`, {
      metadata: { name: long },
      ...object,
    });
    expect([code, body.details.causes[0].message]).toEqual([
      422,
      `Invalid value: "${long}": must be no more than ${most} characters`,
    ]);
    const fits = { metadata: { name: 'a'.repeat(most) }, ...object };
    expect((await client.post(`/apis/${path}`, fits)).code).toBe(201);
  });

  test('a name that is invalid as a hostname causes a warning', async () => {
    const deployment = { metadata: { name: long }, spec: { replicas: 1, ...workload } };
    const { code, headers } = await client.post(`${apps}/deployments`, deployment);
    expect([code, headers.get('warning')]).toEqual([
      201,
      expect.stringContaining('a DNS label is recommended: [must be no more than 63 characters]'),
    ]);
    const short = await client.post(`${apps}/deployments`, {
      ...deployment,
      metadata: { name: 'd' },
    });
    expect(short.headers.get('warning')).toBeNull();
  });

  test('a null toleration is refused; one with operator Exists is accepted', async () => {
    const spec = { ...template.spec, tolerations: [null] };
    const { code, body } = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    expect([code, body.details.causes[0].field]).toEqual([422, 'spec.tolerations[0].operator']);
    const all = { ...spec, tolerations: [{ operator: 'Exists' }] };
    const taken = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: all });
    expect(taken.code).toBe(201);
  });

  test('a name with the prefix system- is refused', async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const { code } = await client.post(classes, { metadata: { name: 'system-mine' }, value: 1 });
    expect(code).toBe(422);
  });

  test.each<[string, object, object, string]>([
    ['configmaps', { annotations: { a: 'x'.repeat(262_144) } }, {}, 'metadata.annotations'],
    ['configmaps', {}, { data: { a: 'x'.repeat(1_048_577) } }, '[]'],
    ['secrets', {}, { stringData: { a: 'x'.repeat(1_048_577) } }, 'data'],
  ])('%s have a size limit', async (plural, metadata, object, field) => {
    const sent = { metadata: { ...metadata, name: 'large' }, ...object };
    const { code, body } = await client.post(`${core}/${plural}`, sent);
    expect([code, body.details.causes[0].field]).toEqual([422, field]);
  });

  test('an object above the size limit of etcd is refused and stores nothing', async () => {
    const { resourceVersion } = server;
    const data = { a: 'x'.repeat(1_600_000) };
    const revision = { metadata: { name: 'large' }, revision: 1, data };
    const { code, body } = await client.post(`${apps}/controllerrevisions`, revision);
    expect([code, body.message]).toEqual([500, 'etcdserver: request is too large']);
    expect(server.resourceVersion).toBe(resourceVersion);
  });

  test.each([
    [{ uid: 'another' }, 'metadata.uid'],
    [{ deletionTimestamp: '2020-01-01T00:00:00Z' }, 'metadata.deletionTimestamp'],
  ])('a patch of %j is refused, with a cause per validation', async (metadata, field) => {
    const { code, body } = await client.patch(`${core}/configmaps/a`, 'merge', { metadata });
    expect(code).toBe(422);
    const fields = body.details.causes.map((cause: { field: string }) => cause.field);
    expect(fields).toEqual([field, field]);
    expect(body.message).toMatch(
      /is invalid: metadata\.\w+: Invalid value: "[^"]+": field is immutable$/,
    );
  });
});
