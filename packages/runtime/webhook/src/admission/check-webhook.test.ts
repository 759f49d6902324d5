import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { Job } from '../testing/reviews.test-support.ts';
import { checkWebhook } from './check-webhook.ts';
import type { WebhookOptions } from './webhook-options.ts';

const validate = (): void => undefined;
const kind = { resource: Job, parse: (object: unknown) => object as never };
const valid = { name: 'jobs', resource: Job, validate };

describe('checkWebhook', () => {
  test('fills in the defaults', () => {
    expect(checkWebhook(valid as WebhookOptions, 'add')).toMatchObject({
      type: 'validating',
      resources: [Job],
      operations: ['CREATE', 'UPDATE'],
      path: '/validate/jobs',
      timeoutSeconds: 10,
      scope: 'Namespaced',
    });
    const { Node, Pod } = builtin;
    const of = (resource: unknown): unknown =>
      checkWebhook({ ...valid, resource } as WebhookOptions, 'add').scope;
    expect([of(Node), of([Node, Pod]), of('*')]).toEqual(['Cluster', '*', '*']);
    const mutating = { name: 'jobs', resource: Job, mutate: validate };
    expect(checkWebhook(mutating as WebhookOptions, 'add').path).toBe('/mutate/jobs');
  });

  test.each([
    ['name', { name: 'Jobs' }],
    ['name', { name: undefined }],
    ['resource', { resource: undefined }],
    ['resource', { resource: [] }],
    ['resource', { resource: 'jobs' }],
    ['resource', { resource: [{ group: '', version: 'v1' }] }],
    ['kind', { kind }],
    ['kind', { resource: undefined, kind: { resource: Job } }],
    ['kind.resource', { resource: undefined, kind: { ...kind, resource: {} } }],
    ['operations', { operations: [] }],
    ['operations', { operations: 'CREATE' }],
    ['operations', { operations: ['PATCH'] }],
    ['validate', { validate: 'yes' }],
    ['mutate', { mutate: validate }],
    ['mutate', { validate: undefined, mutate: {} }],
    ['mutate', { validate: undefined, resource: undefined, kind, mutate: validate }],
    ['reinvocationPolicy', { reinvocationPolicy: 'Never' }],
    ['path', { path: 'validate' }],
    ['path', { path: '/' }],
    ['path', { path: '/a//b' }],
    ['path', { path: '/A' }],
    ['timeoutSeconds', { timeoutSeconds: 31 }],
    ['timeoutSeconds', { timeoutSeconds: 1.5 }],
    ['timeoutSeconds', { timeoutSeconds: '10s' }],
    ['scope', { scope: 'Cluster-wide' }],
    ['failurePolicy', { failurePolicy: 'fail' }],
    ['sideEffects', { sideEffects: 'Some' }],
    ['matchPolicy', { matchPolicy: null }],
    ['subresource', { subresource: 'Status' }],
    ['matchConditions', { matchConditions: {} }],
    ['matchConditions[0].expression', { matchConditions: [{ name: 'a', expression: ' ' }] }],
    ['matchConditions[0].name', { matchConditions: [{ expression: 'true' }] }],
    ['matchConditions[0].name', { matchConditions: [{ name: 'a b', expression: 'true' }] }],
    ['matchConditions[0].name', { matchConditions: [{ name: 'a/b/c', expression: 'true' }] }],
    ['matchConditions[0].name', { matchConditions: [{ name: 'A b/c', expression: 'true' }] }],
    ['matchConditions', { matchConditions: [1, 2].map(() => ({ name: 'a', expression: 'true' })) }],
    ['namespaceSelector', { namespaceSelector: 'a=b' }],
    ['namespaceSelector', { namespaceSelector: { matchLabels: { 'a/b/c': 'd' } } }],
    ['objectSelector.labels', { objectSelector: { labels: {} } }],
    ['rules', { rules: [] }],
    ['validator', { validator: validate }],
  ])('refuses an invalid %s', (option, given) => {
    const options = { ...valid, ...given } as unknown as WebhookOptions;
    const names = expect.objectContaining({ option: `add.${option}` });
    expect(() => checkWebhook(options, 'add')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', facts: names }),
    );
  });

  test('a later change of the options has no effect', () => {
    const options = { ...valid, operations: ['CREATE'] } as { operations: string[] };
    const checked = checkWebhook(options as unknown as WebhookOptions, 'add');
    options.operations.push('DELETE');
    expect(checked.operations).toEqual(['CREATE']);
  });
});
