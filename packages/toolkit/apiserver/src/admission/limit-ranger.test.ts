import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type RawResponse, type Json, RawClient } from '../server/raw-client.test-support.ts';

const namespace = '/api/v1/namespaces/default';

describe('LimitRanger', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeEach(async () => {
    server = await createApiServer();
    client = new RawClient(server);
  });

  afterEach(() => server.close());

  async function limit(item: object): Promise<void> {
    const body = { metadata: { name: 'limits' }, spec: { limits: [item] } };
    expect((await client.post(`${namespace}/limitranges`, body)).code).toBe(201);
  }

  const pod = (...resources: Json[]): Promise<RawResponse> => {
    const containers = resources.map((each, index) => ({
      name: `c${index}`,
      image: 'i',
      resources: each,
    }));
    return client.post(`${namespace}/pods`, { metadata: { name: 'p' }, spec: { containers } });
  };

  test('sets default requests and limits of containers and records them in an annotation', async () => {
    await limit({
      type: 'Container',
      default: { cpu: '500m' },
      defaultRequest: { memory: '64Mi' },
    });
    const { body } = await pod({}, { limits: { cpu: '1' } });
    const [first, second] = body.spec.containers;
    const memory = '64Mi';
    expect(first.resources).toEqual({
      limits: { cpu: '500m' },
      requests: { cpu: '500m', memory },
    });
    expect(second.resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1', memory } });
    expect(body.metadata.annotations['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu, memory request for container c0; cpu limit for container c0; memory request for container c1',
    );
    expect(body.status.qosClass).toBe('Burstable');
  });

  const over = { requests: { cpu: '1' }, limits: { cpu: '3' } };
  const under = { requests: { cpu: '5m' }, limits: { cpu: '1' } };
  test.each<[string, object, Json[], string]>([
    [
      'a limit above the maximum',
      { type: 'Container', max: { cpu: '2' } },
      [over],
      'maximum cpu usage per Container is 2, but limit is 3',
    ],
    [
      'a request below the minimum',
      { type: 'Container', min: { cpu: '10m' } },
      [under],
      'minimum cpu usage per Container is 10m, but request is 5m',
    ],
    [
      'a limit above the allowed ratio to the request',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1.5' } },
      [over],
      'cpu max limit to request ratio per Container is 1500m, but provided ratio is 3.000000',
    ],
    [
      'containers whose total limit is above the maximum',
      { type: 'Pod', max: { cpu: '4' } },
      [over, over],
      'maximum cpu usage per Pod is 4, but limit is 6',
    ],
    [
      'a pod without a required limit',
      { type: 'Pod', max: { memory: '1Gi' } },
      [over],
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
    ],
  ])('rejects %s', async (_title, item, resources, why) => {
    await limit(item);
    const { code, body } = await pod(...resources);
    expect([code, body.message]).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });

  test('rejects claims below the minimum and above the maximum', async () => {
    await limit({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '2Gi' },
    });
    const claim = (storage: string): Promise<RawResponse> =>
      client.post(`${namespace}/persistentvolumeclaims`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      });
    const head = 'persistentvolumeclaims "c" is forbidden:';
    expect((await claim('500Mi')).body.message).toBe(
      `${head} minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi`,
    );
    expect((await claim('3Gi')).body.message).toBe(
      `${head} maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi`,
    );
    expect((await claim('2Gi')).code).toBe(201);
  });

  test('rejects a limit range that contradicts itself', async () => {
    const limits = [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }];
    const { code, body } = await client.post(`${namespace}/limitranges`, {
      metadata: { name: 'wrong' },
      spec: { limits },
    });
    expect(code).toBe(422);
    expect(body.details.causes.map(({ field }: Json) => field)).toContain(
      'spec.limits[0].min[cpu]',
    );
  });
});
