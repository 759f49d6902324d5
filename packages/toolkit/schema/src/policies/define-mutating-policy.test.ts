import { describe, expect, test } from '@jest/globals';
import { builtin, CodedError } from '@keelson/apimachinery';
import { defineKind } from '../definition/define-kind.ts';
import { defineMutatingPolicy } from './define-mutating-policy.ts';
import type { MutatingPolicyOptions } from './policy-options.ts';

const name = 'defaults.example.com';
const deployments = { name, resource: builtin.Deployment };

const widget = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  spec: { type: 'object', properties: { size: { type: 'integer' } } },
});

function problem(options: object): string {
  try {
    defineMutatingPolicy(options as MutatingPolicyOptions);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { option, path, reason } = error.facts;
    return `${error.code} ${String(option ?? path)}: ${String(reason).split('\n', 1)[0]}`;
  }
}

describe('defineMutatingPolicy', () => {
  test('makes a policy and a binding, with the type of each patch', () => {
    const apply = 'Object{spec: Object.spec{replicas: 3}}';
    const patch = '[JSONPatch{op: "remove", path: "/spec/paused"}]';
    const mutations = [{ cel: apply }, { cel: patch }];
    const { policy, binding } = defineMutatingPolicy({ ...deployments, mutations });
    expect([policy, binding]).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicy',
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          reinvocationPolicy: 'Never',
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
          mutations: [
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: apply } },
            { patchType: 'JSONPatch', jsonPatch: { expression: patch } },
          ],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name },
      },
    ]);
  });

  test('passes parameters, conditions, variables and reinvocation on', () => {
    const { policy, binding } = defineMutatingPolicy({
      ...deployments,
      params: { resource: builtin.ConfigMap, name: 'sizes' },
      matchConditions: { small: 'object.spec.replicas < 3' },
      variables: { wanted: 'int(params.data.replicas)' },
      mutations: [{ cel: 'Object{spec: Object.spec{replicas: variables.wanted}}' }],
      reinvocationPolicy: 'IfNeeded',
    });
    expect(policy.spec).toMatchObject({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'small', expression: 'object.spec.replicas < 3' }],
      variables: [{ name: 'wanted', expression: 'int(params.data.replicas)' }],
      reinvocationPolicy: 'IfNeeded',
    });
    expect(binding.spec?.paramRef).toEqual({ name: 'sizes', parameterNotFoundAction: 'Deny' });
  });

  const at = 'defineMutatingPolicy';
  test.each<[object, string]>([
    [
      { mutations: [] },
      `INVALID_OPTION ${at}.mutations: must be a list with at least one mutation`,
    ],
    [{ mutations: [{}] }, `INVALID_OPTION ${at}.mutations[0].cel: must be an expression in CEL`],
    [
      { operations: ['DELETE'] },
      `INVALID_OPTION ${at}.operations: must be different words out of CREATE, UPDATE`,
    ],
    [
      { reinvocationPolicy: 'Always' },
      `INVALID_OPTION ${at}.reinvocationPolicy: must be Never or IfNeeded`,
    ],
    [
      { mutations: [{ cel: '1' }] },
      `RULE_INVALID ${at}.mutations[0].cel: must evaluate to one of [Object list(JSONPatch)] but got int`,
    ],
    [
      { mutations: [{ cel: 'Object{spec: Object.spec{size: object.spec.sise}}' }] },
      `RULE_INVALID ${at}.mutations[0].cel: compilation failed: ERROR: <input>:1:43: undefined field 'sise'`,
    ],
    [
      { variables: { x: 'Object{}' } },
      `RULE_INVALID ${at}.variables.x: compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')`,
    ],
    [{ rules: [] }, `INVALID_OPTION ${at}.rules: unknown option`],
  ])('refuses %j', (more, expected) => {
    const mutations = [{ cel: 'Object{}' }];
    const found = problem({ name, resource: widget, mutations, ...more });
    expect(found.startsWith(expected)).toBe(true);
  });

  test('evaluates its mutations without a server', () => {
    const { patches } = defineMutatingPolicy({
      name,
      resource: widget,
      matchConditions: { small: 'object.spec.size < 3' },
      mutations: [
        { cel: 'Object{spec: Object.spec{size: object.spec.size + 1}}' },
        { cel: '[JSONPatch{op: "add", path: "/spec/size", value: 7}]' },
      ],
    });
    expect(patches({ object: { spec: { size: 1 } } })).toEqual([
      { apply: { spec: { size: 2 } } },
      { jsonPatch: [{ op: 'add', path: '/spec/size', value: 7 }] },
    ]);
    expect(patches({ object: { spec: { size: 5 } } })).toEqual([]);
    expect(patches({ operation: 'DELETE', oldObject: { spec: { size: 1 } } })).toEqual([]);
  });

  test('throws the reason of a mutation or a condition that fails', () => {
    const mutations = [{ cel: 'Object{spec: Object.wrong{}}' }];
    const { patches } = defineMutatingPolicy({ name, resource: widget, mutations });
    expect(() => patches({ object: { spec: {} } })).toThrow('unexpected type name "Object.wrong"');
    const matchConditions = { small: 'object.spec.size < 3' };
    const conditional = defineMutatingPolicy({
      name,
      resource: widget,
      mutations,
      matchConditions,
    });
    expect(() => conditional.patches({ object: { spec: {} } })).toThrow('no such key: size');
    expect(() => patches({})).toThrow('needs object or oldObject');
  });
});
