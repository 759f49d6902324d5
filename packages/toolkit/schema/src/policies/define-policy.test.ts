import { describe, expect, test } from '@jest/globals';
import { builtin, CodedError } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { defineKind } from '../definition/define-kind.ts';
import { definePolicy, type DefinedPolicy } from './define-policy.ts';
import type { PolicyOptions } from './policy-options.ts';

const name = 'limit.example.com';
const deployments = { name, resource: builtin.Deployment };

const widget = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  spec: {
    type: 'object',
    properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
  },
});

function problem(options: object): string {
  try {
    definePolicy(options as PolicyOptions);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { option, path, reason } = error.facts;
    return `${error.code} ${String(option ?? path)}: ${String(reason).split('\n', 1)[0]}`;
  }
}

describe('definePolicy', () => {
  test('makes a policy and a binding with their defaults', () => {
    const rules = [
      { cel: 'object.spec.replicas <= 3', message: 'at most 3', reason: 'Forbidden' as const },
    ];
    const { policy, binding } = definePolicy({ ...deployments, rules });
    expect([policy, binding]).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['apps'],
                apiVersions: ['v1'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['deployments'],
              },
            ],
          },
          validations: [
            { expression: 'object.spec.replicas <= 3', message: 'at most 3', reason: 'Forbidden' },
          ],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'] },
      },
    ]);
  });

  test('makes what the server accepts and enforces, with every option', async () => {
    await using server = await createApiServer();
    const definition = definePolicy({
      ...deployments,
      subresource: '*',
      operations: ['CREATE', 'UPDATE'],
      variables: { max: 'int(params.data.max)' },
      matchConditions: { scaled: 'has(object.spec.replicas)' },
      params: { resource: builtin.ConfigMap, name: 'limits', notFound: 'Allow' },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
      objectSelector: {},
      failurePolicy: 'Fail',
      actions: ['Deny', 'Audit'],
      rules: [
        {
          cel: 'object.spec.replicas <= variables.max',
          messageExpression: "'at most ' + string(variables.max)",
        },
      ],
    });
    const limits = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'limits', namespace: 'default' },
      data: { max: '3' },
    };
    server.seed([definition.policy, definition.binding, limits]);
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const object = {
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 4, selector: { matchLabels: labels }, template },
    };
    const response = await fetch(`${server.url}/apis/apps/v1/namespaces/default/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    const { message } = (await response.json()) as { message: string };
    const [violation] = definition.check({ object, params: limits });
    expect(violation).toEqual({ message: 'at most 3', reason: 'Invalid' });
    expect([response.status, message]).toEqual([
      422,
      `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: at most 3`,
    ]);
  });

  test.each<[object, string]>([
    [{}, 'INVALID_OPTION definePolicy.rules: must be a list with at least one rule'],
    [
      { rules: [], name: 'A B' },
      'INVALID_OPTION definePolicy.name: must be a DNS subdomain such as limit.example.com',
    ],
    [
      { resource: {} },
      'INVALID_OPTION definePolicy.resource: must be a token of a resource or a defined kind',
    ],
    [
      { operations: ['READ'] },
      'INVALID_OPTION definePolicy.operations: must be different words out of CREATE, UPDATE, DELETE, CONNECT',
    ],
    [
      { actions: ['Deny', 'Warn'] },
      'INVALID_OPTION definePolicy.actions: must not contain both Deny and Warn',
    ],
    [
      { failurePolicy: 'Retry' },
      'INVALID_OPTION definePolicy.failurePolicy: must be Fail or Ignore',
    ],
    [
      { rules: [{ cel: 'true' }], params: { resource: builtin.ConfigMap } },
      'INVALID_OPTION definePolicy.params: needs exactly one of name and selector',
    ],
    [
      { rules: [{ cel: '' }] },
      'INVALID_OPTION definePolicy.rules[0].cel: must be an expression in CEL',
    ],
    [
      { rules: [{ cel: 'true', message: 'a\nb' }] },
      'INVALID_OPTION definePolicy.rules[0].message: must be one line of text',
    ],
    [{ rules: [null] }, 'INVALID_OPTION definePolicy.rules[0]: must be an object'],
    [
      { rules: [{ cel: 'true', message: 5 }] },
      'INVALID_OPTION definePolicy.rules[0].message: must be one line of text',
    ],
    [
      { rules: [{ cel: 'true' }], variables: null },
      'INVALID_OPTION definePolicy.variables: must be an object of expressions in CEL',
    ],
    [
      { rules: [{ cel: 'true' }], matchConditions: [] },
      'INVALID_OPTION definePolicy.matchConditions: must be an object of expressions in CEL',
    ],
    [
      { rules: [{ cel: 'true' }], matchConditions: { 'a b': 'true' } },
      'INVALID_OPTION definePolicy.matchConditions: must have names such as scaled, and not a b',
    ],
    [
      { rules: [{ cel: 'true' }], namespaceSelector: null },
      'INVALID_OPTION definePolicy.namespaceSelector: must be an object',
    ],
    [{ subresource: 5 }, 'INVALID_OPTION definePolicy.subresource: must be a name such as status'],
    [
      { rules: [{ cel: 'true' }], params: { resource: null, name: 'a' } },
      'INVALID_OPTION definePolicy.params.resource: must have group, version and kind',
    ],
    [
      { rules: [{ cel: 'true', reason: 'Odd' }] },
      'INVALID_OPTION definePolicy.rules[0].reason: must be Forbidden or Invalid or RequestEntityTooLarge',
    ],
    [
      { rules: [{ cel: 'true' }], variables: { in: '1' } },
      'INVALID_OPTION definePolicy.variables.in: must have the name of a CEL identifier',
    ],
    [
      { rules: [{ cel: '1' }] },
      'RULE_INVALID definePolicy.rules[0].cel: must evaluate to bool but got int',
    ],
    [
      { rules: [{ cel: 'params.a == 1' }] },
      "RULE_INVALID definePolicy.rules[0].cel: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
    ],
    [
      { rules: [{ cel: 'true', messageExpression: '1' }] },
      'RULE_INVALID definePolicy.rules[0].messageExpression: must evaluate to string but got int',
    ],
    [
      { rules: [{ cel: 'true' }], variables: { a: 'variables.b' } },
      "RULE_INVALID definePolicy.variables.a: compilation failed: ERROR: <input>:1:10: undefined field 'b'",
    ],
    [
      { rules: [{ cel: 'true' }], matchConditions: { a: "'a'" } },
      'RULE_INVALID definePolicy.matchConditions.a: must evaluate to bool but got string',
    ],
  ])('refuses %j', (more, expected) => {
    expect(problem({ ...deployments, ...more })).toBe(expected);
  });

  test('checks the types of expressions by the schema of a defined kind', () => {
    const rule = (cel: string): object => ({ name, resource: widget, rules: [{ cel }] });
    expect(problem(rule('object.spec.sise < 3'))).toBe(
      "RULE_INVALID definePolicy.rules[0].cel: compilation failed: ERROR: <input>:1:12: undefined field 'sise'",
    );
    expect(problem(rule("object.spec.size == 'a'"))).toMatch(
      /found no matching overload for '_==_'/,
    );
    const valid =
      "object.spec.size < 3 && oldObject == null && object.metadata.labels['a'] == 'b' && 'x' in object.spec.tags";
    expect(problem(rule(valid))).toBe('accepted');
    expect(problem(rule('dyn(object).spec.sise < 3'))).toBe('accepted');
  });
});

describe('the check of a policy', () => {
  const { check }: DefinedPolicy = definePolicy({
    name,
    resource: widget,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    rules: [
      { cel: "request.operation == 'DELETE' || object.spec.size <= 3", message: 'at most 3' },
      {
        cel: "request.operation != 'UPDATE' || object.spec.size >= oldObject.spec.size",
        message: 'may not shrink',
        reason: 'Forbidden',
      },
      {
        cel: "request.operation != 'DELETE' || authorizer.requestResource.check('force-delete').allowed()",
        message: 'kept',
      },
    ],
  });
  const object = (size: number): object => ({
    metadata: { name: 'a', namespace: 'default' },
    spec: { size },
  });

  test('derives the operation from the objects', () => {
    expect(check({ object: object(4) })).toEqual([{ message: 'at most 3', reason: 'Invalid' }]);
    expect(check({ object: object(1), oldObject: object(2) })).toEqual([
      { message: 'may not shrink', reason: 'Forbidden' },
    ]);
    expect(check({ oldObject: object(9) })).toEqual([]);
    const allows = (verb: string, target: string): boolean =>
      target !== 'widgets.shop.example' && verb !== '';
    expect(check({ oldObject: object(9), allows })).toEqual([
      { message: 'kept', reason: 'Invalid' },
    ]);
  });

  test('reports the error of the function allows as that of the expression', () => {
    const allows = (): boolean => {
      throw new Error('no rights known');
    };
    const [violation] = check({ oldObject: object(9), allows });
    expect(violation?.message).toMatch(/internal error: no rights known$/);
  });

  test('reports expressions that fail, and ignores other operations', () => {
    const failing = definePolicy({
      ...deployments,
      rules: [{ cel: 'object.spec.paused == true' }],
    });
    expect(failing.check({ object: { metadata: { name: 'a' } } })).toEqual([
      {
        message: "expression 'object.spec.paused == true' resulted in error: no such key: spec",
        reason: 'Invalid',
      },
    ]);
    expect(failing.check({ oldObject: object(1) })).toEqual([]);
  });

  test('reads the user and the namespace', () => {
    const policy = definePolicy({
      ...deployments,
      rules: [
        {
          cel: "request.userInfo.username == 'jane' && 'team' in request.userInfo.groups",
          message: 'user',
        },
        { cel: "namespaceObject.metadata.labels.stage == 'test'", message: 'stage' },
      ],
    });
    const namespace = { metadata: { name: 'default', labels: { stage: 'test' } } };
    expect(
      policy.check({ object: object(1), user: { name: 'jane', groups: ['team'] }, namespace }),
    ).toEqual([]);
    expect(policy.check({ object: object(1) }).map(({ message }) => message)).toEqual([
      'user',
      "expression 'namespaceObject.metadata.labels.stage == 'test'' resulted in error: no such key: stage",
    ]);
  });

  test('reads the namespace with the label of its name', () => {
    const cel =
      "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default' && namespaceObject.status.phase == 'Active'";
    const policy = definePolicy({ ...deployments, rules: [{ cel }] });
    expect(policy.check({ object: object(1) })).toEqual([]);
  });

  test('leaves out of the request what the API server leaves out', () => {
    const present = [
      'request.name',
      'request.namespace',
      'request.subResource',
      'request.userInfo.uid',
      'request.userInfo.groups',
      'request.options.fieldManager',
    ];
    const text = present.map((path) => `(has(${path}) ? '${path} ' : '')`).join(' + ');
    const policy = definePolicy({
      name,
      resource: builtin.ClusterRole,
      rules: [{ cel: 'false', messageExpression: `'has ' + ${text} + request.options.kind` }],
    });
    const messages = (request: object): string[] =>
      policy.check(request).map(({ message }) => message);
    expect(messages({ object: { metadata: { generateName: 'a-' } } })).toEqual([
      'has request.name CreateOptions',
    ]);
    expect(
      messages({ object: { metadata: { name: 'a' } }, user: { name: 'jane', groups: ['team'] } }),
    ).toEqual(['has request.name request.userInfo.groups CreateOptions']);
  });

  test.each<[object, string]>([
    [{ object: null }, 'check.object'],
    [{ object: [] }, 'check.object'],
    [{ object: {}, oldObject: 'a' }, 'check.oldObject'],
    [{ object: {}, params: 5 }, 'check.params'],
    [{ object: {}, namespace: 'default' }, 'check.namespace'],
    [{ object: {}, operation: 'READ' }, 'check.operation'],
    [{ object: {}, user: 'jane' }, 'check.user'],
    [{ object: {}, user: { name: 5 } }, 'check.user.name'],
  ])('refuses the request %j', (request, option) => {
    expect(() => check(request)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });

  test('refuses a request without an object', () => {
    expect(() => check({})).toThrow('needs object or oldObject');
    expect(() => check({ objekt: object(1) } as object)).toThrow('unknown option');
  });
});
