import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const type = 'KubernetesAPIApprovalPolicyConformant';

function definition(group: string, approval: string): Json {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    metadata: {
      name: `toys.${group}`,
      annotations: { 'api-approved.kubernetes.io': approval },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

// Recorded from kube-apiserver 1.36.3.
describe('the approval of a definition', () => {
  test('is a condition in the groups of Kubernetes alone, and follows the annotation', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const conditionOf = async (name: string): Promise<Json> => {
      await server.idle();
      const { body } = await client.get(`${crds}/${name}`);
      return (body.status.conditions as Json[]).find((condition) => condition.type === type);
    };
    await client.post(crds, definition('x.example.com', 'https://example.com'));
    expect(await conditionOf('toys.x.example.com')).toBeUndefined();
    await client.post(crds, definition('x.k8s.io', 'unapproved, experimental'));
    expect(await conditionOf('toys.x.k8s.io')).toMatchObject({
      status: 'False',
      reason: 'UnapprovedAnnotation',
      message: 'not approved: "unapproved, experimental"',
    });
    const annotations = { 'api-approved.kubernetes.io': 'https://example.com/1' };
    await client.patch(`${crds}/toys.x.k8s.io`, 'merge', { metadata: { annotations } });
    expect(await conditionOf('toys.x.k8s.io')).toMatchObject({
      status: 'True',
      reason: 'ApprovedAnnotation',
      message: 'approved in https://example.com/1',
    });
  });
});
