import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { causesOf, type Json, RawClient } from '../../server/raw-client.test-support.ts';

// What kube-apiserver does: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

function hook(more: object = {}): Json {
  return {
    name: 'a.b.example.com',
    clientConfig: { url: 'https://example.com/x' },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

let server: ApiServer;
let client: RawClient;
beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
});
afterAll(() => server.close());

async function causes(...webhooks: Json[]): Promise<string[]> {
  const response = await client.post(`${path}?dryRun=All`, { metadata: { name: 'a' }, webhooks });
  return causesOf(response);
}

const supported = (value: string, ...values: string[]): string =>
  `Unsupported value: "${value}": supported values: ${values.map((each) => `"${each}"`).join(', ')}`;

describe('a webhook configuration', () => {
  test.each<[object, string[]]>([
    [{}, []],
    [{ name: '' }, ['name: Required value']],
    [
      { name: 'a.b' },
      [
        'name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      ],
    ],
    [{ rules: [{ ...rule, operations: [] }] }, ['rules[0].operations: Required value']],
    [
      { rules: [{ ...rule, operations: ['*', 'READ'] }] },
      [
        `rules[0].operations: Invalid value: ["*","READ"]: if '*' is present, must not specify other operations`,
        `rules[0].operations[1]: ${supported('READ', '*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE')}`,
      ],
    ],
    [
      { rules: [{ ...rule, apiGroups: ['*', 'a'] }] },
      [
        `rules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`,
      ],
    ],
    [{ rules: [{ ...rule, apiVersions: [''] }] }, ['rules[0].apiVersions[0]: Required value']],
    [
      { rules: [{ ...rule, resources: ['*/*', 'pods'] }] },
      [
        `rules[0].resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`,
      ],
    ],
    [
      { rules: [{ ...rule, resources: ['pods/*', 'pods/status'] }] },
      [
        `rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
      ],
    ],
    [
      { rules: [{ ...rule, resources: ['*', 'pods'] }] },
      [
        `rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      { rules: [{ ...rule, scope: 'Some' }] },
      [`rules[0].scope: ${supported('Some', '*', 'Cluster', 'Namespaced')}`],
    ],
    [{ failurePolicy: 'Retry' }, [`failurePolicy: ${supported('Retry', 'Fail', 'Ignore')}`]],
    [{ matchPolicy: 'Any' }, [`matchPolicy: ${supported('Any', 'Equivalent', 'Exact')}`]],
    [
      { sideEffects: undefined },
      ['sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ],
    [{ sideEffects: 'Some' }, [`sideEffects: ${supported('Some', 'None', 'NoneOnDryRun')}`]],
    [
      { timeoutSeconds: 31 },
      ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      { reinvocationPolicy: 'Often' },
      [`reinvocationPolicy: ${supported('Often', 'IfNeeded', 'Never')}`],
    ],
    [
      { clientConfig: {} },
      ['clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      { clientConfig: { url: 'http://a/x' } },
      [
        `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      { clientConfig: { service: { name: 'a', namespace: '', path: 'xy' } } },
      [
        'clientConfig.service.name: Required value',
        `clientConfig.service.path: Invalid value: "xy": must start with a '/'`,
      ],
    ],
    [
      { admissionReviewVersions: [] },
      ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ],
    [
      { admissionReviewVersions: ['v2'] },
      ['admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
    ],
    [
      { matchConditions: [{ name: '', expression: '' }] },
      ['matchConditions[0].expression: Required value', 'matchConditions[0].name: Required value'],
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'params.x' }] },
      [
        `matchConditions[0].expression: Invalid value: "params.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^`,
      ],
    ],
    [
      { matchConditions: [{ name: 'a', expression: "'a'" }] },
      [`matchConditions[0].expression: Invalid value: "'a'": must evaluate to bool but got string`],
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'request.nome == "a"' }] },
      [
        `matchConditions[0].expression: Invalid value: "request.nome == \\"a\\"": compilation failed: ERROR: <input>:1:8: undefined field 'nome'\n | request.nome == "a"\n | .......^`,
      ],
    ],
    [
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])('with %j', async (more, expected) => {
    expect(await causes(hook(more))).toEqual(expected.map((each) => `webhooks[0].${each}`));
  });

  test('needs different names of webhooks and of match conditions', async () => {
    const matchConditions = [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'true' },
    ];
    expect(await causes(hook({ matchConditions }), hook())).toEqual([
      'webhooks[0].matchConditions[1].name: Duplicate value: "a"',
      'webhooks[1].name: Duplicate value: "a.b.example.com"',
    ]);
  });

  test('gets the defaults of kube-apiserver', async () => {
    const service = { name: 'a', namespace: 'b' };
    const webhooks = [hook({ clientConfig: { service } })];
    const { body } = await client.post(`${path}?dryRun=All`, { metadata: { name: 'a' }, webhooks });
    expect(body.webhooks[0]).toMatchObject({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      reinvocationPolicy: 'Never',
      timeoutSeconds: 10,
      clientConfig: { service: { ...service, port: 443 } },
      rules: [{ ...rule, scope: '*' }],
    });
  });

  test('validates an update like a new configuration', async () => {
    await client.post(path, { metadata: { name: 'kept' }, webhooks: [hook()] });
    const patch = [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 0 }];
    const response = await client.patch(`${path}/kept`, 'json', patch);
    expect(causesOf(response)).toEqual([
      'webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds',
    ]);
  });
});
