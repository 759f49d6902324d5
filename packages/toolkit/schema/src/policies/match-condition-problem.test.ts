import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { defineKind } from '../definition/define-kind.ts';
import { matchConditionProblem } from './match-condition-problem.ts';

const website = defineKind({
  group: 'web.example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
});

describe('matchConditionProblem', () => {
  test.each([
    "request.userInfo.username != 'system:admin'",
    ' object.spec.any == 1 ',
    "authorizer.group('').resource('pods').check('get').allowed()",
  ])('accepts %s', (expression) => {
    expect(matchConditionProblem(expression)).toBeUndefined();
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    ['1', 'must evaluate to bool but got int'],
    ['params.x', "undeclared reference to 'params'"],
    ['variables.x', "undeclared reference to 'variables'"],
    ['object.', "Syntax error: no viable alternative at input '.<EOF>'"],
    ['request.none == 1', "undefined field 'none'"],
  ])('returns the reason of the API server for %s', (expression, reason) => {
    expect(matchConditionProblem(expression)).toContain(reason);
  });

  test('checks the types by the schema of a kind, except those of a scale', () => {
    const expression = 'object.spec.replica > 1';
    const reason = "undefined field 'replica'";
    expect(matchConditionProblem(expression, { resource: website })).toContain(reason);
    expect(matchConditionProblem(expression, { resource: builtin.Pod })).toBeUndefined();
    const subresource = 'scale';
    expect(matchConditionProblem(expression, { resource: website, subresource })).toBeUndefined();
  });

  test('does not check parts with unknown fields', () => {
    const open = defineKind({
      group: 'web.example.com',
      version: 'v1',
      kind: 'Page',
      plural: 'pages',
      spec: {
        type: 'object',
        properties: { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    });
    const expression = 'object.spec.free.any == 1 && object.spec.other == 1';
    const problem = matchConditionProblem(expression, { resource: open }) ?? '';
    expect(problem.match(/undefined field '\w+'/g)).toEqual(["undefined field 'other'"]);
  });

  test('rejects other values than texts, and unknown options', () => {
    expect(() => matchConditionProblem(1 as unknown as string)).toThrow('must be an expression');
    expect(() => matchConditionProblem('true', { kind: website } as object)).toThrow(
      'unknown option',
    );
  });
});
