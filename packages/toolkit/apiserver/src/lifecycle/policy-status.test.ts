import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

// Recorded from kube-apiserver 1.36.3 with the controller of kube-controller-manager.

const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const rule = (group: string, ...resources: string[]): object => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  operations: ['*'],
  resources,
});

/** Creates a policy and returns its status after the controller has checked it. */
async function statusOf(spec: object): Promise<Json> {
  await using server = await createApiServer();
  const client = new RawClient(server);
  const body = {
    metadata: { name: 'sizes' },
    spec: { matchConstraints: { resourceRules: [rule('apps', 'deployments')] }, ...spec },
  };
  const created = await client.post(path, body);
  expect(created.code).toBe(201);
  await server.idle();
  const { body: policy } = await client.get(`${path}/sizes`);
  return policy['status'];
}

async function warningsOf(spec: object): Promise<unknown> {
  const { typeChecking } = await statusOf(spec);
  const { expressionWarnings = [] } = typeChecking as { expressionWarnings?: Json[] };
  return expressionWarnings.map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`);
}

describe('the type check of a validating admission policy', () => {
  test('writes the generation that it has checked', async () => {
    const validations = [{ expression: 'object.spec.replicas <= 5' }];
    expect(await statusOf({ validations })).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test('names the field, the kind and the place of an error', async () => {
    const validations = [
      { expression: 'true', messageExpression: 'string(object.bar)' },
      { expression: 'object.spec.replica <= 5' },
    ];
    expect(await warningsOf({ validations })).toEqual([
      "spec.validations[0].messageExpression: apps/v1, Kind=Deployment: ERROR: <input>:1:14: undefined field 'bar'\n | string(object.bar)\n | .............^\n",
      "spec.validations[1].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica <= 5\n | ...........^\n",
    ]);
  });

  test('checks every kind of the rules, in alphabetical order', async () => {
    const matchConstraints = {
      resourceRules: [
        rule('apps', 'deployments'),
        rule('', 'secrets', 'configmaps', 'pods/log'),
        rule('*', 'pods'),
      ],
    };
    const [warning = ''] = (await warningsOf({
      matchConstraints,
      validations: [{ expression: "object.data.a == '1'" }],
    })) as string[];
    expect(warning.match(/\S*, Kind=\w+/g)).toEqual([
      '/v1, Kind=Secret',
      'apps/v1, Kind=Deployment',
    ]);
  });

  test('knows the types of parameters and variables, but not those of objects in variables', async () => {
    const warnings = await warningsOf({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [
        { name: 'replicas', expression: 'object.spec.replicas' },
        { name: 'spec', expression: 'object.spec' },
      ],
      validations: [
        { expression: "variables.replicas == 'x'" },
        { expression: 'variables.spec.none == 1' },
        { expression: 'params.none == 1' },
      ],
    });
    expect(warnings).toEqual([
      expect.stringContaining("applied to '(int, string)'"),
      expect.stringContaining("undefined field 'none'\n | params.none == 1"),
    ]);
  });

  test('accepts a text and a number where the schema has both', async () => {
    const expression = 'object.spec.strategy.rollingUpdate.maxSurge == 1';
    expect(await warningsOf({ validations: [{ expression }] })).toEqual([]);
  });

  test('checks a change of the spec, and no other change', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const matchConstraints = { resourceRules: [rule('apps', 'deployments')] };
    await client.post(path, {
      metadata: { name: 'sizes' },
      spec: { matchConstraints, validations: [{ expression: 'object.spec.none == 1' }] },
    });
    await server.idle();
    const labelled = await client.patch(`${path}/sizes`, 'merge', {
      metadata: { labels: { a: 'b' } },
    });
    await server.idle();
    const { resourceVersion } = (await client.get(`${path}/sizes`)).body.metadata;
    expect(resourceVersion).toBe(labelled.body.metadata['resourceVersion']);
    await client.patch(`${path}/sizes`, 'merge', {
      spec: { validations: [{ expression: 'object.spec.replicas == 1' }] },
    });
    await server.idle();
    const { body } = await client.get(`${path}/sizes`);
    expect(body['status']).toEqual({ observedGeneration: 2 });
    expect(body.metadata).toMatchObject({
      managedFields: expect.arrayContaining([
        expect.objectContaining({
          manager: 'validatingadmissionpolicy-status',
          operation: 'Apply',
          subresource: 'status',
        }),
      ]),
    });
  });
});
