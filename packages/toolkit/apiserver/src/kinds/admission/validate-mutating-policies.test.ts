import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { causesOf, RawClient } from '../../server/raw-client.test-support.ts';

// Recorded from kube-apiserver 1.36.3.

const path = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['configmaps'],
};

let server: ApiServer;
let client: RawClient;
beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
});
afterAll(() => server.close());

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});

async function causes(spec: object): Promise<string[]> {
  const response = await client.post(`${path}?dryRun=All`, {
    metadata: { name: 'a' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      reinvocationPolicy: 'Never',
      mutations: [apply('Object{}')],
      ...spec,
    },
  });
  return causesOf(response);
}

describe('a mutating admission policy', () => {
  test.each<[object, string[]]>([
    [{}, []],
    [
      { mutations: [] },
      ['spec.mutations: Required value: mutations must contain at least one item'],
    ],
    [
      { matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
    [
      { reinvocationPolicy: 'Always' },
      [
        'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
      ],
    ],
    [{ mutations: [{}] }, ['spec.mutations[0].patchType: Required value']],
    [
      { mutations: [{ patchType: 'Merge' }] },
      [
        'spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
      ],
    ],
    [
      { mutations: [{ ...apply('Object{}'), patchType: 'JSONPatch' }] },
      [
        'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      ],
    ],
    [
      { mutations: [apply(' ')] },
      ['spec.mutations[0].applyConfiguration.expression: Required value'],
    ],
    [
      { mutations: [apply('object')] },
      [
        'spec.mutations[0].applyConfiguration.expression: Invalid value: "object": must evaluate to Object but got dyn',
      ],
    ],
    [
      { mutations: [patch('[]')] },
      [
        'spec.mutations[0].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)',
      ],
    ],
    [
      { mutations: [patch('[JSONPatch{value: Object}]')] },
      [
        'spec.mutations[0].jsonPatch.expression: Internal error: program instantiation failed: reference to undefined type: Object',
      ],
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'Object{} == null' }] },
      [
        `spec.matchConditions[0].expression: Invalid value: "Object{} == null": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{} == null\n | ......^`,
      ],
    ],
  ])('%j', async (spec, expected) => {
    expect(await causes(spec)).toEqual(expected);
  });
});

describe('the binding of a mutating admission policy', () => {
  test('applies to writes only', async () => {
    const response = await client.post(
      '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
      {
        metadata: { name: 'a' },
        spec: {
          policyName: 'a',
          matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
        },
      },
    );
    expect(causesOf(response)).toEqual([
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ]);
  });
});
