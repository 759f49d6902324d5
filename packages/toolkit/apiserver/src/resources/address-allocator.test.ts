import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const services = '/api/v1/namespaces/default/services';
const ports = [{ port: 80 }];

describe('Service addresses', () => {
  test('every Service gets an address that no other Service has or requested', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const make = async (name: string, spec: object = {}): Promise<string> => {
      const { body } = await client.post(services, {
        metadata: { name },
        spec: { ports, ...spec },
      });
      return body.spec?.clusterIP ?? body.reason;
    };
    expect((await client.get(`${services}/kubernetes`)).body.spec.clusterIP).toBe('10.96.0.1');
    expect(await make('a')).toBe('10.96.0.2');
    expect(await make('b')).toBe('10.96.0.3');
    expect(await make('c', { clusterIP: '10.96.0.4' })).toBe('10.96.0.4');
    expect(await make('d')).toBe('10.96.0.5');
    expect(await make('headless', { clusterIP: 'None' })).toBe('None');
  });

  test('a node port is in the range and allocated once', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = { type: 'NodePort', ports };
    const nodePorts = [];
    for (const name of ['a', 'b']) {
      const { body } = await client.post(services, { metadata: { name }, spec });
      nodePorts.push(body.spec.ports[0].nodePort);
    }
    expect(nodePorts).toEqual([30_000, 30_001]);
  });
});
