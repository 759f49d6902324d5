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
    expect(owners).toEqual(['kube-apiserver', 'kubernetes-service-cidr-controller']);
  });
});
