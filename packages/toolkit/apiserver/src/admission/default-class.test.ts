import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type RawResponse, RawClient } from '../server/raw-client.test-support.ts';

const storageClasses = '/apis/storage.k8s.io/v1/storageclasses';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';

function makeClass(client: RawClient, name: string, more: object = {}): Promise<RawResponse> {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const body = { metadata: { name, annotations }, provisioner: 'example.com/disk', ...more };
  return client.post(storageClasses, body);
}

function makeClaim(client: RawClient, name: string, spec: object = {}): Promise<RawResponse> {
  const resources = { requests: { storage: '1Gi' } };
  const body = { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources, ...spec } };
  return client.post(claims, body);
}

describe('DefaultStorageClass', () => {
  test('a claim without a class gets the default class, a claim with an empty class does not', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    expect((await makeClaim(client, 'early')).body.spec.storageClassName).toBeUndefined();
    await makeClass(client, 'fast');
    expect((await makeClaim(client, 'late')).body.spec.storageClassName).toBe('fast');
    const none = await makeClaim(client, 'none', { storageClassName: '' });
    expect(none.body.spec.storageClassName).toBe('');
  });

  test('the newest default class applies; the first by name if they have the same age', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    await using server = await createApiServer({ now: () => now });
    const client = new RawClient(server);
    await makeClass(client, 'a');
    now += 1000;
    await makeClass(client, 'c');
    await makeClass(client, 'b');
    expect((await makeClaim(client, 'one')).body.spec.storageClassName).toBe('b');
  });
});

test('DefaultIngressClass sets the default class of an ingress without one', async () => {
  await using server = await createApiServer();
  const client = new RawClient(server);
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  await client.post('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'door', annotations },
    spec: { controller: 'example.com/door' },
  });
  const { body } = await client.post('/apis/networking.k8s.io/v1/namespaces/default/ingresses', {
    metadata: { name: 'one' },
    spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
  });
  expect(body.spec.ingressClassName).toBe('door');
});

describe('PersistentVolumeClaimResize', () => {
  test('accepts the expansion of a bound claim whose class allows it', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await makeClass(client, 'fast', { allowVolumeExpansion: true });
    await makeClaim(client, 'one');
    await client.patch(`${claims}/one/status`, 'merge', { status: { phase: 'Bound' } });
    const grow = { spec: { resources: { requests: { storage: '2Gi' } } } };
    expect((await client.patch(`${claims}/one`, 'merge', grow)).code).toBe(200);
  });

  test('rejects the expansion of a claim whose class does not allow it', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await makeClass(client, 'slow');
    await makeClaim(client, 'one');
    await client.patch(`${claims}/one/status`, 'merge', { status: { phase: 'Bound' } });
    const grow = { spec: { resources: { requests: { storage: '2Gi' } } } };
    const { code, body } = await client.patch(`${claims}/one`, 'merge', grow);
    expect([code, body.message]).toEqual([
      403,
      'persistentvolumeclaims "one" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ]);
  });
});
