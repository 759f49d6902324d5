import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type RawResponse, type Json, RawClient } from '../../server/raw-client.test-support.ts';

const path = '/api/v1/namespaces/default/services';
const ports = [{ port: 80 }];

describe('Service networking', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeEach(async () => {
    server = await createApiServer({ serviceClusterIpRange: '10.0.0.0/24' });
    client = new RawClient(server);
  });

  afterEach(() => server.close());

  const make = (name: string, spec: object): Promise<RawResponse> =>
    client.post(path, { metadata: { name }, spec: { ports, ...spec } });

  const change = async (name: string, spec: object): Promise<Json> =>
    (await client.patch(`${path}/${name}`, 'merge', { spec })).body.spec;

  test('allocates addresses from the range, the first one for the Service of the API server', async () => {
    const { body } = await client.get(`${path}/kubernetes`);
    expect(body.spec.clusterIP).toBe('10.0.0.1');
    expect((await make('a', {})).body.spec.clusterIP).toBe('10.0.0.2');
  });

  test('allocates a node port when a load balancer without node ports becomes a NodePort', async () => {
    await make('a', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
    const spec = await change('a', { type: 'NodePort' });
    expect(spec.ports[0].nodePort).toBeGreaterThan(0);
    expect(spec.allocateLoadBalancerNodePorts).toBeUndefined();
  });

  test.each<[string, object, string]>([
    [
      'an address of another Service',
      { clusterIP: '10.0.0.1' },
      'spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
    ],
    [
      'an address outside the range',
      { clusterIP: '192.168.1.1' },
      'spec.clusterIPs: Invalid value: ["192.168.1.1"]: failed to allocate IP 192.168.1.1: the provided network does not match the current range',
    ],
    [
      'a node port outside the range',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      'a node port twice',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 31_000 },
          { name: 'b', port: 2, nodePort: 31_000 },
        ],
      },
      'spec.ports[1].nodePort: Invalid value: 31000: provided port is already allocated',
    ],
    [
      'a node port of a cluster-internal Service',
      { ports: [{ port: 80, nodePort: 31_000 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
  ])('rejects %s', async (_title, spec, why) => {
    const { code, body } = await make('s', spec);
    expect([code, body.message]).toEqual([422, `Service "s" is invalid: ${why}`]);
  });

  test('a change to an external type allocates node ports, and a change back releases them', async () => {
    await make('s', {});
    const outside = await change('s', { type: 'NodePort' });
    expect(outside).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      ports: [{ nodePort: 30_000 }],
    });
    const inside = await change('s', { type: 'ClusterIP' });
    expect(inside.ports[0].nodePort).toBeUndefined();
    expect(inside.externalTrafficPolicy).toBeUndefined();
  });

  test('a change to ExternalName releases the address, and a change back allocates one', async () => {
    await make('s', {});
    const external = await change('s', { type: 'ExternalName', externalName: 'example.com' });
    expect(external.clusterIP).toBeUndefined();
    expect(external.ipFamilies).toBeUndefined();
    const inside = await change('s', { type: 'ClusterIP', externalName: null });
    expect(inside.clusterIP).toMatch(/^10\.0\.0\./);
  });

  test('a PUT without allocated values keeps them', async () => {
    const { body } = await make('s', { type: 'NodePort' });
    const { clusterIP } = body.spec;
    const put = await client.put(`${path}/s`, {
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 81 }] },
    });
    expect(put.body.spec).toMatchObject({ clusterIP, ports: [{ port: 81, nodePort: 30_000 }] });
  });

  test('ports with the same number share a node port', async () => {
    const dns = [
      { name: 'u', port: 53, protocol: 'UDP' },
      { name: 't', port: 53, protocol: 'TCP' },
    ];
    const { body } = await make('dns', { type: 'NodePort', ports: dns });
    const [udp, tcp] = body.spec.ports;
    expect(udp.nodePort).toBe(tcp.nodePort);
  });

  test('an update gives each new port a node port of its own and refuses one for two ports', async () => {
    await make('s', { type: 'NodePort' });
    const dns = [
      { name: 'u', port: 53, protocol: 'UDP' },
      { name: 't', port: 53, protocol: 'TCP' },
    ];
    const [udp, tcp] = (await change('s', { ports: dns })).ports;
    expect(udp.nodePort).not.toBe(tcp.nodePort);
    const shared = dns.map((port) => ({ ...port, nodePort: 31_000 }));
    expect((await change('s', { ports: shared })).ports).toMatchObject(shared);
    for (const [value, number] of [
      [shared.map((port, index) => ({ ...port, port: index + 1, protocol: 'TCP' })), 31_000],
      [[{ port: 80 }, { port: 81 }], 31_001],
    ] as const) {
      const single = [{ port: 80, nodePort: 31_001 }];
      if (number === 31_001) await change('s', { ports: single });
      const patch = [{ op: 'add', path: '/spec/ports', value }];
      const { code, body } = await client.patch(`${path}/s`, 'json', patch);
      expect([code, body.message]).toEqual([500, `duplicate nodePort: {TCP ${number}}`]);
    }
  });

  test('a Service created through /status must have its list of addresses', async () => {
    const create = (name: string, spec: object): Promise<RawResponse> =>
      client.put(`${path}/${name}/status`, { metadata: { name }, spec: { ports, ...spec } });
    const { code, body } = await create('none', { clusterIP: 'None' });
    expect([code, body.message]).toEqual([
      422,
      'Service "none" is invalid: spec.clusterIPs: Required value',
    ]);
    expect((await create('bare', { selector: { a: 'b' } })).code).toBe(201);
    const preferred = await change('bare', { ipFamilyPolicy: 'PreferDualStack' });
    expect(preferred.ipFamilies).toBeUndefined();
    const changed = await change('bare', { type: 'NodePort' });
    expect([changed.ipFamilies, changed.clusterIP]).toEqual([['IPv4'], undefined]);
  });

  test('a load balancer with local traffic policy gets a health check port', async () => {
    const { body } = await make('s', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    expect(body.spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
  });

  test('rejects an invalid range', async () => {
    await expect(createApiServer({ serviceClusterIpRange: '10.0.0.0' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'createApiServer.serviceClusterIpRange' },
    });
  });
});
