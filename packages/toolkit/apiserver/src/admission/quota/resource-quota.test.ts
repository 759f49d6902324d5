import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type RawResponse, type Json, RawClient } from '../../server/raw-client.test-support.ts';

const namespace = '/api/v1/namespaces/default';

describe('ResourceQuota', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeEach(async () => {
    server = await createApiServer();
    client = new RawClient(server);
  });

  afterEach(() => server.close());

  async function quota(spec: object): Promise<void> {
    const body = { metadata: { name: 'q' }, spec };
    expect((await client.post(`${namespace}/resourcequotas`, body)).code).toBe(201);
    await server.idle();
  }

  const used = async (): Promise<Json> =>
    (await client.get(`${namespace}/resourcequotas/q`)).body.status.used;

  const map = (name: string): Promise<RawResponse> =>
    client.post(`${namespace}/configmaps`, { metadata: { name } });

  const pod = (name: string, resources: object, spec: object = {}): Promise<RawResponse> =>
    client.post(`${namespace}/pods`, {
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'i', resources }], ...spec },
    });

  test('the status shows the limits and the usage of existing objects', async () => {
    await map('early');
    await quota({ hard: { configmaps: '5', 'count/secrets': '1' } });
    const { body } = await client.get(`${namespace}/resourcequotas/q`);
    expect(body.status).toEqual({
      hard: { configmaps: '5', 'count/secrets': '1' },
      used: { configmaps: '1', 'count/secrets': '0' },
    });
  });

  test('rejects a create above the limit until an object is deleted', async () => {
    await quota({ hard: { configmaps: '2' } });
    expect((await map('a')).code).toBe(201);
    expect((await map('b')).code).toBe(201);
    const third = await map('c');
    expect([third.code, third.body.message]).toEqual([
      403,
      'configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
    ]);
    expect(await used()).toEqual({ configmaps: '2' });
    await client.send('DELETE', `${namespace}/configmaps/a`);
    await server.idle();
    expect((await map('c')).code).toBe(201);
  });

  test('sums the requests of pods, and rejects a pod without them', async () => {
    await quota({ hard: { 'requests.cpu': '1', 'limits.memory': '1Gi' } });
    const silent = await pod('silent', { requests: { cpu: '1' } });
    expect(silent.body.message).toBe(
      'pods "silent" is forbidden: failed quota: q: must specify limits.memory for: main',
    );
    const resources = { requests: { cpu: '600m' }, limits: { memory: '512Mi' } };
    expect((await pod('first', resources)).code).toBe(201);
    expect((await pod('second', resources)).body.message).toBe(
      'pods "second" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    expect(await used()).toEqual({ 'requests.cpu': '600m', 'limits.memory': '512Mi' });
  });

  test('the scope VolumeAttributesClass counts the claims with a class', async () => {
    const matchExpressions = [
      { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] },
    ];
    await quota({ hard: { persistentvolumeclaims: '1' }, scopeSelector: { matchExpressions } });
    const claim = (name: string, more: object): Promise<RawResponse> =>
      client.post(`${namespace}/persistentvolumeclaims`, {
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage: '1Gi' } },
          ...more,
        },
      });
    await claim('other', { volumeAttributesClassName: 'silver' });
    await claim('none', {});
    expect(await used()).toEqual({ persistentvolumeclaims: '0' });
    expect((await claim('first', { volumeAttributesClassName: 'gold' })).code).toBe(201);
    expect(await used()).toEqual({ persistentvolumeclaims: '1' });
    const second = await claim('second', { volumeAttributesClassName: 'gold' });
    expect(second.body.message).toContain('exceeded quota: q');
    await client.send('DELETE', `${namespace}/persistentvolumeclaims/first`);
    await server.idle();
    expect(await used()).toEqual({ persistentvolumeclaims: '0' });
  });

  test('a terminated pod uses nothing', async () => {
    await quota({ hard: { pods: '1' } });
    await pod('first', {});
    expect((await pod('second', {})).code).toBe(403);
    await client.patch(`${namespace}/pods/first/status`, 'merge', {
      status: { phase: 'Succeeded' },
    });
    await server.idle();
    expect((await pod('second', {})).code).toBe(201);
  });

  test.each<[string, object, object, number]>([
    ['BestEffort includes', { scopes: ['BestEffort'] }, {}, 403],
    ['NotBestEffort excludes', { scopes: ['NotBestEffort'] }, {}, 201],
    ['Terminating includes', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, 403],
    [
      'PriorityClass includes',
      {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] },
          ],
        },
      },
      { priorityClassName: 'system-node-critical' },
      403,
    ],
  ])('the scope %s a pod', async (_title, scope, spec, code) => {
    await quota({ hard: { pods: '0' }, ...scope });
    expect((await pod('p', {}, spec)).code).toBe(code);
  });

  test('counts node ports when a Service changes its type', async () => {
    await quota({ hard: { 'services.nodeports': '1' } });
    const service = (name: string, type: string): Promise<RawResponse> =>
      client.post(`${namespace}/services`, {
        metadata: { name },
        spec: { type, ports: [{ port: 80 }] },
      });
    await service('a', 'NodePort');
    await service('b', 'ClusterIP');
    const patch = { spec: { type: 'NodePort' } };
    const { code, body } = await client.patch(`${namespace}/services/b`, 'merge', patch);
    expect(code).toBe(403);
    expect(body.message).toContain('exceeded quota: q, requested: services.nodeports=1');
  });

  test('counts claims by class', async () => {
    const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
    await quota({ hard: { 'requests.storage': '5Gi', [gold]: '1Gi' } });
    const claim = (name: string, storageClassName: string): Promise<RawResponse> =>
      client.post(`${namespace}/persistentvolumeclaims`, {
        metadata: { name },
        spec: {
          storageClassName,
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '2Gi' } },
        },
      });
    expect((await claim('a', 'silver')).code).toBe(201);
    expect((await claim('b', 'gold')).body.message).toContain(`requested: ${gold}=2Gi`);
    expect(await used()).toEqual({ 'requests.storage': '2Gi', [gold]: '0' });
  });

  test('rejects a dry run above the limit, and does not count dry runs', async () => {
    await quota({ hard: { configmaps: '1' } });
    const dry = `${namespace}/configmaps?dryRun=All`;
    expect((await client.post(dry, { metadata: { name: 'a' } })).code).toBe(201);
    expect(await used()).toEqual({ configmaps: '0' });
    await map('a');
    expect((await client.post(dry, { metadata: { name: 'b' } })).code).toBe(403);
  });

  test('usage never exceeds the limit and matches the objects after random creates and deletes', async () => {
    await quota({ hard: { configmaps: '3' } });
    const command = fc.record({
      makes: fc.boolean(),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
        await Promise.all(
          commands.map(({ makes, name }) =>
            makes ? map(name) : client.send('DELETE', `${namespace}/configmaps/${name}`),
          ),
        );
        await server.idle();
        const { body } = await client.get(`${namespace}/configmaps`);
        expect(body.items.length).toBeLessThanOrEqual(3);
        expect(await used()).toEqual({ configmaps: String(body.items.length) });
      }),
      { numRuns: 15 },
    );
  });

  test('rejects an invalid quota', async () => {
    const { code, body } = await client.post(`${namespace}/resourcequotas`, {
      metadata: { name: 'wrong' },
      spec: { hard: { nonsense: '1', pods: '-1' }, scopes: ['Terminating', 'NotTerminating'] },
    });
    expect(code).toBe(422);
    expect(body.details.causes.map(({ field }: Json) => field)).toEqual(
      expect.arrayContaining(['spec.hard[nonsense]', 'spec.hard[pods]', 'spec.scopes']),
    );
  });
});
