import { describe, expect, test } from '@jest/globals';
import { createApiServer } from './api-server.ts';
import { RawClient } from './raw-client.test-support.ts';

describe('A fresh server', () => {
  test('has the range of Service addresses as a ready ServiceCIDR', async () => {
    await using server = await createApiServer({ serviceClusterIpRange: '10.7.0.0/24' });
    const { body } = await new RawClient(server).get(
      '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
    );
    expect([body.spec.cidrs, body.status.conditions]).toEqual([
      ['10.7.0.0/24'],
      [expect.objectContaining({ type: 'Ready', status: 'True' })],
    ]);
    const owners = body.metadata.managedFields.map(({ manager }: { manager: string }) => manager);
    expect(owners).toEqual(['kubernetes-service-cidr-controller', 'kube-apiserver']);
  });

  test('has components, which are healthy', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.get('/api/v1/componentstatuses');
    const healthy = { type: 'Healthy', status: 'True', message: 'ok' };
    expect(body.items).toMatchObject([
      { metadata: { name: 'controller-manager' }, conditions: [healthy] },
      { metadata: { name: 'etcd-0' }, conditions: [healthy] },
      { metadata: { name: 'scheduler' }, conditions: [healthy] },
    ]);
    // As in kube-apiserver, which computes them.
    const { body: etcd } = await client.get('/api/v1/componentstatuses/etcd-0');
    expect(etcd.metadata).toEqual({ name: 'etcd-0' });
  });

  test('has its address as the endpoints of the Service kubernetes, and a Lease', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { port } = server;
    const { body: endpoints } = await client.get('/api/v1/namespaces/default/endpoints/kubernetes');
    expect(endpoints.subsets).toEqual([
      { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
    ]);
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const { body: slice } = await client.get(`${slices}/kubernetes`);
    expect([slice.addressType, slice.endpoints, slice.ports]).toEqual([
      'IPv4',
      [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      [{ name: 'https', port, protocol: 'TCP' }],
    ]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const { body: list } = await client.get(
      `${leases}?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver`,
    );
    expect(list.items).toEqual([
      expect.objectContaining({
        spec: {
          holderIdentity: expect.stringMatching(/^apiserver-keelson_/),
          leaseDurationSeconds: 3600,
          renewTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        },
      }),
    ]);
  });
});

describe('The addresses of Services', () => {
  test('are IPAddresses until the Service is deleted or loses them', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const addresses = async (): Promise<string[]> => {
      const { body } = await client.get('/apis/networking.k8s.io/v1/ipaddresses');
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };
    expect(await addresses()).toEqual(['10.96.0.1']);
    const services = '/api/v1/namespaces/default/services';
    const spec = { ports: [{ port: 80 }] };
    const { body: service } = await client.post(services, { metadata: { name: 'web' }, spec });
    const address = service.spec.clusterIP;
    const { body } = await client.get(`/apis/networking.k8s.io/v1/ipaddresses/${address}`);
    expect([body.metadata.labels, body.spec]).toEqual([
      {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
      { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
    ]);
    const external = {
      spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: '', clusterIPs: null },
    };
    await client.patch(`${services}/web`, 'merge', external);
    expect(await addresses()).toEqual(['10.96.0.1']);
    await client.patch(`${services}/web`, 'merge', {
      spec: { type: 'ClusterIP', externalName: null },
    });
    expect(await addresses()).toHaveLength(2);
    await client.delete(`${services}/web`);
    expect(await addresses()).toEqual(['10.96.0.1']);
  });

  test('are no IPAddresses after a dry run and for a headless Service', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const services = '/api/v1/namespaces/default/services';
    const ports = [{ port: 80 }];
    await client.post(`${services}?dryRun=All`, { metadata: { name: 'dry' }, spec: { ports } });
    await client.post(services, { metadata: { name: 'none' }, spec: { ports, clusterIP: 'None' } });
    const { body } = await client.get('/apis/networking.k8s.io/v1/ipaddresses');
    expect(body.items).toHaveLength(1);
  });
});
