import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import {
  causesOf,
  type Json,
  RawClient,
  type RawResponse,
} from '../../server/raw-client.test-support.ts';

// What kube-apiserver does: `pkg/admission/plugin/policy` of apiserver 1.36, and "Validating Admission Policy" in the
// Kubernetes documentation.

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

class PolicyTest implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: RawClient;

  constructor(server: ApiServer) {
    this.server = server;
    this.client = new RawClient(server);
  }

  static async start(): Promise<PolicyTest> {
    return new PolicyTest(await createApiServer());
  }

  async policy(spec: object, name = 'sizes'): Promise<void> {
    const matchConstraints = { resourceRules: [rule] };
    const { code, body } = await this.client.post(`${group}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints, ...spec },
    });
    expect([code, body.message]).toEqual([201, undefined]);
  }

  async binding(spec: object = {}, name = 'everywhere'): Promise<void> {
    const { code, body } = await this.client.post(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: 'sizes', validationActions: ['Deny'], ...spec },
    });
    expect([code, body.message]).toEqual([201, undefined]);
  }

  create(data: object, name = 'settings'): Promise<RawResponse> {
    return this.client.post(configMaps, { metadata: { name }, data });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

const denied = (why: string): string =>
  `configmaps "settings" is forbidden: ValidatingAdmissionPolicy 'sizes' with binding 'everywhere' denied request: ${why}`;

async function messageOf(spec: object, binding: object = {}): Promise<string | undefined> {
  await using setup = await PolicyTest.start();
  await setup.policy(spec);
  await setup.binding(binding);
  return (await setup.create({ a: '1' })).body.message;
}

describe('a validating admission policy', () => {
  test('has no effect without a binding', async () => {
    await using setup = await PolicyTest.start();
    await setup.policy({ validations: [{ expression: 'false' }] });
    expect((await setup.create({})).code).toBe(201);
    await setup.binding();
    expect((await setup.create({}, 'other')).code).toBe(422);
  });

  test('denies with a Status that names the policy and the binding', async () => {
    await using setup = await PolicyTest.start();
    await setup.policy({
      validations: [{ expression: "object.data.a == '2'", message: 'a must be 2' }],
    });
    await setup.binding();
    const { code, body } = await setup.create({ a: '1' });
    const message = denied('a must be 2');
    const cause = message.replace('configmaps "settings" is forbidden: ', '');
    expect([code, body]).toEqual([
      422,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'Invalid',
        details: { name: 'settings', kind: 'configmaps', causes: [{ message: cause }] },
        code: 422,
      },
    ]);
    expect((await setup.create({ a: '2' })).code).toBe(201);
  });

  test.each<[object, string]>([
    [{ expression: 'false' }, 'failed expression: false'],
    [{ expression: ' false ', message: ' no ' }, 'no'],
    [
      { expression: 'false', message: 'no', messageExpression: "'a is ' + object.data.a" },
      'a is 1',
    ],
    [{ expression: 'false', message: 'no', messageExpression: "'a\\nb'" }, 'no'],
    [{ expression: 'false', message: 'no', messageExpression: 'string(object.data.b)' }, 'no'],
    [
      { expression: "object.data.b == '1'" },
      `expression 'object.data.b == '1'' resulted in error: no such key: b`,
    ],
  ])('words the violation of %j', async (validation, expected) => {
    expect(await messageOf({ validations: [validation] })).toBe(denied(expected));
  });

  test.each([
    ['Forbidden', 403],
    ['RequestEntityTooLarge', 413],
    ['Invalid', 422],
  ])('responds with the code of the reason %s', async (reason, expected) => {
    await using setup = await PolicyTest.start();
    await setup.policy({ validations: [{ expression: 'false', reason }] });
    await setup.binding();
    const { code, body } = await setup.create({});
    expect([code, body.code, body.reason]).toEqual([expected, expected, reason]);
  });

  test('reads the old object, the request, the namespace and the authorizer', async () => {
    const expressions = [
      "request.operation == 'CREATE' && oldObject == null",
      "namespaceObject.metadata.name == 'default' && namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'",
      "authorizer.group('').resource('configmaps').check('create').allowed()",
      "object.metadata.name == request.name && request.namespace == 'default'",
    ];
    const validations = expressions.map((expression) => ({ expression }));
    expect(await messageOf({ validations })).toBeUndefined();
  });

  test('computes its variables when they are read, also from others', async () => {
    const variables = [
      { name: 'a', expression: 'int(object.data.a)' },
      { name: 'twice', expression: 'variables.a * 2' },
      { name: 'broken', expression: 'object.data.missing' },
    ];
    const hold = [
      { expression: 'variables.twice == 2' },
      { expression: "variables.a == 1 || variables.broken == ''" },
    ];
    expect(await messageOf({ variables, validations: hold })).toBeUndefined();
    const messageExpression = "'twice is ' + string(variables.twice)";
    const fail = [{ expression: 'variables.twice > 2', messageExpression }];
    expect(await messageOf({ variables, validations: fail })).toBe(denied('twice is 2'));
    const broken = [{ expression: "variables.broken == ''" }];
    expect(await messageOf({ variables, validations: broken })).toBe(
      denied(
        `expression 'variables.broken == ''' resulted in error: composited variable "broken" fails to evaluate: no such key: missing`,
      ),
    );
  });

  test('applies only if its match conditions hold', async () => {
    const validations = [{ expression: 'false' }];
    const conditions = (expression: string): object => ({
      validations,
      matchConditions: [{ name: 'c', expression }],
    });
    expect(await messageOf(conditions("object.data.a == '2'"))).toBeUndefined();
    expect(await messageOf(conditions("object.data.b == '2'"))).toBe(
      denied(`expression 'object.data.b == '2'' resulted in error: no such key: b`),
    );
  });

  test('ignores errors, but not violations, with the failure policy Ignore', async () => {
    const failurePolicy = 'Ignore';
    expect(
      await messageOf({ failurePolicy, validations: [{ expression: "object.data.b == ''" }] }),
    ).toBeUndefined();
    expect(await messageOf({ failurePolicy, validations: [{ expression: 'false' }] })).toBe(
      denied('failed expression: false'),
    );
  });

  test('excludes resources and names, and applies to names', async () => {
    const validations = [{ expression: 'false' }];
    const constraints = (more: object): object => ({
      validations,
      matchConstraints: { resourceRules: [rule], ...more },
    });
    const excludeResourceRules = [{ ...rule, resourceNames: ['settings'] }];
    expect(await messageOf(constraints({ excludeResourceRules }))).toBeUndefined();
    const named = [{ ...rule, resourceNames: ['other'] }];
    expect(await messageOf(constraints({ resourceRules: named }))).toBeUndefined();
    const objectSelector = { matchLabels: { a: 'b' } };
    expect(await messageOf(constraints({ objectSelector }))).toBeUndefined();
  });

  test('denies deletes by the old object', async () => {
    await using setup = await PolicyTest.start();
    await setup.create({ keep: 'yes' });
    await setup.policy({
      validations: [
        {
          expression: "request.operation != 'DELETE' || oldObject.data.keep != 'yes'",
          message: 'kept',
        },
      ],
    });
    await setup.binding();
    const { code, body } = await setup.client.delete(`${configMaps}/settings`);
    expect([code, body.message]).toEqual([422, denied('kept')]);
  });

  test('sees the Scale of a scaled object, and the object of a status', async () => {
    await using setup = await PolicyTest.start();
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await setup.client.post(deployments, { metadata: { name: 'web' }, spec });
    const resources = ['deployments', 'deployments/scale'];
    const resourceRules = [{ ...rule, apiGroups: ['apps'], resources }];
    const validations = [{ expression: 'object.spec.replicas <= 3', message: 'at most 3' }];
    await setup.policy({ matchConstraints: { resourceRules }, validations });
    await setup.binding();
    const scaled = await setup.client.patch(`${deployments}/web/scale`, 'merge', {
      spec: { replicas: 5 },
    });
    expect([scaled.code, scaled.body.message]).toEqual([
      422,
      `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'sizes' with binding 'everywhere' denied request: at most 3`,
    ]);
  });

  test('does not apply to policies, bindings and reviews', async () => {
    await using setup = await PolicyTest.start();
    const resourceRules = [
      { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] },
    ];
    await setup.policy({
      matchConstraints: { resourceRules },
      validations: [{ expression: 'false' }],
    });
    await setup.binding();
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await setup.client.post(path, review)).code).toBe(201);
    expect(
      (await setup.client.delete(`${group}/validatingadmissionpolicybindings/everywhere`)).code,
    ).toBe(200);
  });
});

describe('a binding', () => {
  test('limits the policy to the requests that it matches', async () => {
    const validations = [{ expression: 'false' }];
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'other' } };
    expect(
      await messageOf({ validations }, { matchResources: { namespaceSelector } }),
    ).toBeUndefined();
    const resourceRules = [{ ...rule, operations: ['DELETE'] }];
    expect(await messageOf({ validations }, { matchResources: { resourceRules } })).toBeUndefined();
    const matching = { matchResources: { resourceRules: [rule] } };
    expect(await messageOf({ validations }, matching)).toBe(denied('failed expression: false'));
  });

  test('warns with Warn, and admits with Audit', async () => {
    await using setup = await PolicyTest.start();
    await setup.policy({ validations: [{ expression: 'false', message: 'no' }] });
    await setup.binding({ validationActions: ['Warn', 'Audit'] });
    const { code, headers } = await setup.create({});
    expect([code, headers.get('warning')]).toEqual([
      201,
      `299 - "Validation failed for ValidatingAdmissionPolicy 'sizes' with binding 'everywhere': no"`,
    ]);
  });

  test('denies if an audit annotation fails, whatever its actions are', async () => {
    const auditAnnotations = [{ key: 'b', valueExpression: 'string(object.data.b)' }];
    const message = denied(`expression 'string(object.data.b)' resulted in error: no such key: b`);
    expect(await messageOf({ auditAnnotations }, { validationActions: ['Audit'] })).toBe(message);
    const failurePolicy = 'Ignore';
    const ignored = { auditAnnotations, failurePolicy };
    expect(await messageOf(ignored, { validationActions: ['Audit'] })).toBeUndefined();
  });
});

describe('the parameters of a policy', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const validations = [
    {
      expression: 'params == null || int(object.data.size) <= int(params.data.max)',
      messageExpression: "'at most ' + params.data.max",
    },
  ];
  const matchConditions = [
    { name: 'sized', expression: "has(object.data) && 'size' in object.data" },
  ];

  async function prepared(paramRef?: object): Promise<PolicyTest> {
    const setup = await PolicyTest.start();
    await setup.policy({ paramKind, validations, matchConditions });
    // The parameters are ConfigMaps too.
    const objectSelector = { matchExpressions: [{ key: 'limit', operator: 'DoesNotExist' }] };
    const matchResources = { objectSelector };
    await setup.binding({ matchResources, ...(paramRef && { paramRef }) });
    return setup;
  }

  const limit = (name: string, max: string, namespace = 'default'): object => ({
    metadata: { name, namespace, labels: { limit: 'yes' } },
    data: { max },
  });

  test('are named by the binding, in the namespace of the object or another one', async () => {
    await using setup = await prepared({ name: 'limit', parameterNotFoundAction: 'Deny' });
    const absent = await setup.create({ size: '9' });
    expect(absent.body.message).toBe(
      denied(
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
      ),
    );
    await setup.client.post(configMaps, limit('limit', '3'));
    expect((await setup.create({ size: '9' })).body.message).toBe(denied('at most 3'));
    expect((await setup.create({ size: '3' })).code).toBe(201);
  });

  test('may be missing with Allow', async () => {
    await using setup = await prepared({ name: 'limit', parameterNotFoundAction: 'Allow' });
    expect((await setup.create({ size: '9' })).code).toBe(201);
  });

  test('are null without a reference', async () => {
    await using setup = await prepared();
    expect((await setup.create({ size: '9' })).code).toBe(201);
  });

  test('are selected by labels: each of them must permit the object', async () => {
    const selector = { matchLabels: { limit: 'yes' } };
    const namespace = 'kube-system';
    await using setup = await prepared({ selector, namespace, parameterNotFoundAction: 'Deny' });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await setup.client.post(path, limit('one', '5', namespace));
    await setup.client.post(path, limit('two', '3', namespace));
    expect((await setup.create({ size: '4' })).body.message).toBe(denied('at most 3'));
    expect((await setup.create({ size: '2' })).code).toBe(201);
  });

  test('of a kind that is not served refuse every request', async () => {
    const unknown = { apiVersion: 'example.com/v1', kind: 'Limit' };
    const message = await messageOf({ paramKind: unknown, validations: [{ expression: 'true' }] });
    expect(message).toBe(
      `configmaps "settings" is forbidden: ValidatingAdmissionPolicy 'sizes' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
    );
  });
});

describe('the validation of policies', () => {
  const undeclared = (name: string, source: string): string =>
    `compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')\n | ${source}\n | ^`;

  test.each<[object, string[]]>([
    [
      { validations: [] },
      [
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    ],
    [
      { matchConstraints: { resourceRules: [] } },
      ['spec.matchConstraints.resourceRules: Required value'],
    ],
    [
      { failurePolicy: 'Retry' },
      ['spec.failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"'],
    ],
    [
      { validations: [{ expression: '' }] },
      ['spec.validations[0].expression: Required value: expression is not specified'],
    ],
    [
      { validations: [{ expression: '1' }] },
      ['spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int'],
    ],
    [
      { validations: [{ expression: 'params == null' }] },
      [
        `spec.validations[0].expression: Invalid value: "params == null": ${undeclared('params', 'params == null')}`,
      ],
    ],
    [
      { validations: [{ expression: 'true', messageExpression: '1' }] },
      [
        'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
      ],
    ],
    [
      { validations: [{ expression: 'true', message: 'a\nb' }] },
      ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
    ],
    [
      { validations: [{ expression: 'true', reason: 'Unknown' }] },
      [
        'spec.validations[0].reason: Unsupported value: "Unknown": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      { variables: [{ name: 'in', expression: '1' }] },
      ['spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier'],
    ],
    [
      { validations: [{ expression: 'variables.a == 1' }] },
      [
        `spec.validations[0].expression: Invalid value: "variables.a == 1": compilation failed: ERROR: <input>:1:10: undefined field 'a'\n | variables.a == 1\n | .........^`,
      ],
    ],
    [
      { paramKind: { apiVersion: '', kind: '' } },
      ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
    ],
    [
      { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
      [
        'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      ],
    ],
  ])('refuses %j', async (more, expected) => {
    await using setup = await PolicyTest.start();
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'true' }],
      ...more,
    };
    const path = `${group}/validatingadmissionpolicies`;
    const response = await setup.client.post(path, { metadata: { name: 'a' }, spec });
    expect(causesOf(response)).toEqual(expected);
  });

  test.each<[Json, string[]]>([
    [
      { validationActions: [] },
      ['spec.validationActions: Required value: at least one validation action is required'],
    ],
    [
      { validationActions: ['Deny', 'Warn'] },
      [
        'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    ],
    [
      { validationActions: ['Log'] },
      [
        'spec.validationActions[0]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
      ],
    ],
    [{ policyName: '' }, ['spec.policyName: Required value']],
    [
      { paramRef: { parameterNotFoundAction: 'Deny' } },
      ['spec.paramRef: Required value: one of name or selector must be specified'],
    ],
    [
      { paramRef: { name: 'a', selector: {} } },
      [
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
    ],
  ])('refuses a binding with %j', async (more, expected) => {
    await using setup = await PolicyTest.start();
    const spec = { policyName: 'a', validationActions: ['Deny'], ...more };
    const path = `${group}/validatingadmissionpolicybindings`;
    const response = await setup.client.post(path, { metadata: { name: 'a' }, spec });
    expect(causesOf(response)).toEqual(expected);
  });
});
